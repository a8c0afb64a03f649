// What the poller is told by its environment.
import * as z from 'zod';

const text = z.string().min(1);

const pollerEnvironment = z.object({
  SNAPSHOTS_TABLE: text,
  LEDGER_TABLE: text,
  SOURCES_TABLE: text,
  /** Below which each source has its parameter. */
  SOURCES_PATH: text.regex(/^\/.*[^/]$/, 'begins with a slash and does not end with one'),
  POLL_QUEUE_URL: z.url(),
});

export type PollerEnvironment = z.infer<typeof pollerEnvironment>;

/** @throws an error that names every variable that is missing or wrong. */
export function parsePollerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): PollerEnvironment {
  const parsed = pollerEnvironment.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The poller's environment is not complete. ${problems.join('; ')}.`);
}
