// The poller's environment variables.
import * as z from 'zod';
import { environmentParser } from '../adapters/parse-environment.ts';

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

export const parsePollerEnvironment = environmentParser("The poller's environment", pollerEnvironment);
