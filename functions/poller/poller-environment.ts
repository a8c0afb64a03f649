// The poller's environment variables.
import * as z from 'zod';

const text = z.string().min(1);

const pollerEnvironment = z.object({
  SNAPSHOTS_TABLE: text,
  LEDGER_TABLE: text,
  SOURCES_TABLE: text,
  /** The path of the sources' parameters. */
  SOURCES_PATH: text.regex(/^\/.*[^/]$/, 'begins with a slash and does not end with one'),
  POLL_QUEUE_URL: z.url(),
  /** For the commands that an event or a log line offers. */
  STACK_NAME: text,
});

export type PollerEnvironment = z.infer<typeof pollerEnvironment>;

/** @throws an error that names every missing or invalid variable */
export function parsePollerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): PollerEnvironment {
  const parsed = pollerEnvironment.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The poller's environment is incomplete or invalid. ${problems.join('; ')}.`);
}
