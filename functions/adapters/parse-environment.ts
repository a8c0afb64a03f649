import type * as z from 'zod';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A function's environment variables.
 *
 * @param subject of the error, for instance `The relay's environment`
 * @throws Error that names every missing or invalid variable
 */
export function parseEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Environment,
  subject: string,
): z.output<Schema> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  throw new Error(`${subject} is incomplete or invalid. ${problemsOf(parsed.error)}.`);
}

/** The place of each problem and what is wrong there, for instance `settings.name: Required`. */
export function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
