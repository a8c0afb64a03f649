import type * as z from 'zod';

/** Reads the variables of a process. @throws Error that names every missing or invalid variable */
export type EnvironmentParser<Variables> = (
  environment: Readonly<Record<string, string | undefined>>,
) => Variables;

/** @param subject of the error, for instance `The relay's environment` */
export function environmentParser<Variables>(
  subject: string,
  schema: z.ZodType<Variables>,
): EnvironmentParser<Variables> {
  return (environment) => {
    const parsed = schema.safeParse(environment);
    if (parsed.success) return parsed.data;
    throw new Error(`${subject} is incomplete or invalid. ${problemsOf(parsed.error)}.`);
  };
}

/**
 * The place of each problem and what is wrong there, for instance `settings.name: Invalid input: expected string,
 * received undefined`.
 */
export function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
