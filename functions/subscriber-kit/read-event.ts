// The edge: parses a message from a queue or a bus as an event. Unknown fields are left out, not rejected.
import * as z from 'zod';
import { DATA_VERSIONS, type EventKind, parseDataSchema } from '../../shared/contract/data-schema.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { parseMessageId } from '../../shared/contract/event-id.ts';
import {
  MESSAGE_SCHEMAS,
  type MessageType,
  type ReturnChanged,
} from '../../shared/contract/return-message.ts';
import type { OtherEvent } from './subscriber-options.ts';

const envelopeSchema = z.object({
  id: z.string(),
  type: z.string(),
  source: z.string(),
  subject: z.string(),
  time: z.string(),
  dataschema: z.string(),
  partitionkey: z.string(),
  replayid: z.string().optional(),
  data: z.unknown(),
});

/** How EventBridge wraps an event: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html */
const busSchema = z.object({
  'detail-type': z.string(),
  detail: z.unknown(),
  'replay-name': z.string().optional(),
});

export interface ReadEvent {
  readonly envelope: OtherEvent;
  readonly generation: string;
  readonly sequence: number;
  /** The id of the feed's own replay, or of EventBridge's. */
  readonly replayId: string | undefined;
  /** The whole value, for {@link readData}. */
  readonly whole: unknown;
}

/**
 * @param value a parsed message or a bus's event, plain or wrapped by EventBridge
 * @throws Error for a value that is not an event of this feed
 */
export function readEvent(value: unknown): ReadEvent {
  const wrapped = busSchema.safeParse(value);
  const whole = wrapped.success ? wrapped.data.detail : value;
  const envelope = envelopeSchema.safeParse(whole);
  if (!envelope.success) throw notAnEvent(envelope.error);
  const parts = parseMessageId(envelope.data.id);
  if (parts === undefined) throw notAnEvent();
  return {
    envelope: envelope.data,
    generation: parts.generation,
    sequence: parts.sequence,
    replayId: envelope.data.replayid ?? (wrapped.success ? wrapped.data['replay-name'] : undefined),
    whole,
  };
}

/** Why this release can't read an event's data; undefined if it can. */
export function whyForeign({ type, dataschema }: OtherEvent): 'unknown_type' | 'newer_version' | undefined {
  if (!isKnownType(type)) return 'unknown_type';
  const schema = parseDataSchema(dataschema);
  const known = DATA_VERSIONS[type.split('.')[0] as EventKind];
  return schema === undefined || schema.version > known ? 'newer_version' : undefined;
}

/**
 * The event with its data, of a type and version that this release reads.
 *
 * @throws Error naming the fields that do not match the contract, without their values
 */
export function readData({ envelope: { id, type }, whole }: ReadEvent): FeedEvent | ReturnChanged {
  const parsed = MESSAGE_SCHEMAS[type as MessageType].safeParse(whole);
  if (!parsed.success)
    throw unreadable(`${type} ${id} does not match the contract: ${placesOf(parsed.error)}`);
  return parsed.data;
}

/** Whether {@link readEvent} or {@link readData} threw it: delivered again, the event would fail again. */
export function isNotAnEvent(error: unknown): boolean {
  return error instanceof Error && error.name === NOT_AN_EVENT;
}

function isKnownType(type: string): type is MessageType {
  return Object.hasOwn(MESSAGE_SCHEMAS, type);
}

function notAnEvent(error?: z.ZodError): Error {
  return unreadable(`Not an event of returns-change-feed: ${error ? placesOf(error) : 'its id'}`);
}

const NOT_AN_EVENT = 'NotAnEventError';

function unreadable(message: string): Error {
  return Object.assign(new Error(message), { name: NOT_AN_EVENT });
}

function placesOf(error: z.ZodError): string {
  return error.issues.map(({ path, code }) => `${path.join('.') || '(all)'} ${code}`).join(', ');
}
