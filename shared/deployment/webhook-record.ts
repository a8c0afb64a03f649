// The infrastructure's record of each webhook, in a parameter below a common path, for the commands of operators.
// It holds names and places, no secret.
import * as z from 'zod';
import { type EventFilter, eventFilter } from '../contract/event-filter.ts';
import { CONTENT_TYPES } from './content-type.ts';
import { MESSAGE_SHAPES } from './message-shape.ts';

const text = z.string().min(1);

/** The name of a webhook: in marks, metrics and commands. */
export const WEBHOOK_ID = /^[A-Za-z][A-Za-z0-9-]{0,29}$/;

export const webhookRecord = z.object({
  id: z.string().regex(WEBHOOK_ID),
  /** Undefined where the URL is a secret. */
  url: text.optional(),
  /** The secret that holds the URL. */
  urlSecret: text.optional(),
  /** The secret whose versions sign. */
  signingSecret: text,
  /** The secret that holds the client certificate. */
  clientCertificate: text.optional(),
  /** Headers whose values are secrets: name to secret. */
  secretHeaders: z.record(text, text).default({}),
  contentType: z.enum(CONTENT_TYPES),
  /** @default 'event' */
  shape: z.enum(MESSAGE_SHAPES).optional(),
  filter: eventFilter as z.ZodType<EventFilter>,
  /** `any`, which allows http as well, is for engines on one machine. */
  addresses: z.enum(['public', 'private', 'any']),
  requestTimeoutMs: z.int().positive(),
  maxPerSecond: z.number().positive().optional(),
  /** The queue of its rings. */
  queueUrl: text,
  /** The sender's function and log group. */
  sender: text,
  log: text,
});

export type WebhookRecord = z.infer<typeof webhookRecord>;
