import type * as z from 'zod';

/** The place of each problem and what is wrong there, for instance `settings.name: Required`. */
export function problemsOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
