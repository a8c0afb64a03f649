// The dispatcher's environment variables.
import * as z from 'zod';
import { environmentParser } from '../adapters/parse-environment.ts';

const text = z.string().min(1);

const dispatcherEnvironment = z.object({
  SNAPSHOTS_TABLE: text,
  LEDGER_TABLE: text,
  SOURCES_TABLE: text,
  QUICK_QUEUE_URL: z.url(),
  POLL_QUEUE_URL: z.url(),
  /** Of a feed with a pull feed: its positions are there. */
  MARKS_TABLE: text.optional(),
});

export type DispatcherEnvironment = z.output<typeof dispatcherEnvironment>;

export const parseDispatcherEnvironment = environmentParser(
  "The dispatcher's environment",
  dispatcherEnvironment,
);
