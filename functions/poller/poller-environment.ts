// The poller's environment variables.
import * as z from 'zod';
import { parseJson } from '../../shared/parse-json.ts';
import { tokenPlace } from '../adapters/dynamodb-source-directory.ts';
import { environmentParser } from '../adapters/parse-environment.ts';

const text = z.string().min(1);

const pollerEnvironment = z.object({
  SNAPSHOTS_TABLE: text,
  LEDGER_TABLE: text,
  SOURCES_TABLE: text,
  /** The feed's name in names of tokens, and in the context of encrypted ones. */
  FEED_NAME: text,
  /** The tokens of the stack with names of their own, as JSON. */
  DECLARED_TOKENS: text.transform(parseJson).pipe(z.array(z.object({ token: tokenPlace, baseUrl: z.url() }))),
  POLL_QUEUE_URL: z.url(),
  /** For the commands that an event or a log line offers. */
  STACK_NAME: text,
});

export type PollerEnvironment = z.infer<typeof pollerEnvironment>;

export const parsePollerEnvironment = environmentParser("The poller's environment", pollerEnvironment);
