// The environment variables of a webhook's sender.
import * as z from 'zod';
import { eventFilter } from '../../shared/contract/event-filter.ts';
import { CONTENT_TYPES, DEFAULT_CONTENT_TYPE } from '../../shared/deployment/content-type.ts';
import { MESSAGE_SHAPES } from '../../shared/deployment/message-shape.ts';
import { environmentParser } from '../adapters/parse-environment.ts';

const text = z.string().min(1);
const count = z.coerce.number().int().positive();

/** The headers whose values are secrets: each header's name with the ARN of its secret. */
const secretHeaders = z.record(z.string().min(1), text);

const webhookEnvironment = z.object({
  WEBHOOK_ID: text,
  QUEUE_URL: z.url(),
  LEDGER_TABLE: text,
  MARKS_TABLE: text,
  SNAPSHOTS_TABLE: text,
  SOURCES_TABLE: text,
  /** The URL itself, or the secret that holds it. */
  WEBHOOK_URL: text.optional(),
  WEBHOOK_URL_SECRET: text.optional(),
  SIGNING_SECRET: text,
  /** The secret that holds the client certificate and its private key. */
  CLIENT_CERTIFICATE: text.optional(),
  SECRET_HEADERS: json(secretHeaders).default({}),
  CONTENT_TYPE: z.enum(CONTENT_TYPES).default(DEFAULT_CONTENT_TYPE),
  SHAPE: z.enum(MESSAGE_SHAPES).default('event'),
  FILTER: json(eventFilter).default({}),
  /** See AddressRange; `any`, which allows http as well, is for engines on one machine. */
  ADDRESSES: z.enum(['public', 'private', 'any']).default('public'),
  REQUEST_TIMEOUT_MS: count,
  MAX_CONCURRENCY: count,
  MAX_PER_SECOND: z.coerce.number().positive().optional(),
});

export type WebhookEnvironment = z.infer<typeof webhookEnvironment>;

const withOneUrl = webhookEnvironment.refine(
  ({ WEBHOOK_URL, WEBHOOK_URL_SECRET }) => (WEBHOOK_URL === undefined) !== (WEBHOOK_URL_SECRET === undefined),
  { path: ['WEBHOOK_URL'], error: 'set exactly one of WEBHOOK_URL and WEBHOOK_URL_SECRET' },
);

export const parseWebhookEnvironment = environmentParser(
  "The environment of the webhook's sender",
  withOneUrl,
);

function json<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((value, context) => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
