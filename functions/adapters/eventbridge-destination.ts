// Sends events to an EventBridge bus, which keeps no order. On the bus the event's `Source` ends with the name of its
// source, so that a policy of the bus can restrict readers to the events of one source.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { BUS_SOURCE } from '../../shared/contract/event-pattern.ts';
import { markOf } from '../../shared/deployment/destinations.ts';
import { MILLISECOND, parseStamp } from '../../shared/instant.ts';
import type { Destination, SendResult } from '../../shared/ports.ts';
import { MAX_CALL_BYTES, type Sized, sendInParts, TOO_LARGE } from './send-in-parts.ts';

export interface EventBridgeDestinationOptions {
  readonly client: EventBridgeClient;
  readonly eventBusName: string;
  /** The limit for all entries of one call together. @default 1 MiB, EventBridge's limit */
  readonly maxBytes?: number;
  /** Ends calls under way when aborted. */
  readonly signal?: AbortSignal;
}

/** The size that counts for a time. */
const TIME_BYTES = 14;

type Entry = PutEventsRequestEntry & Sized;

export function createEventBridgeDestination({
  client,
  eventBusName,
  maxBytes = MAX_CALL_BYTES,
  signal,
}: EventBridgeDestinationOptions): Destination {
  async function send(entries: readonly Entry[]): Promise<SendResult[]> {
    const Entries = entries.map(({ bytes: _, ...entry }) => ({ ...entry, EventBusName: eventBusName }));
    const answer = await client.send(new PutEventsCommand({ Entries }), signal && { abortSignal: signal });
    return entries.map((entry, index) => resultOf(entry, answer.Entries?.[index]));
  }
  return {
    name: markOf('bus'),
    send: (events) => sendInParts(events.map(toEntry), { maxBytes, send, rejectionOf }),
  };
}

function toEntry(event: FeedEvent): Entry {
  const source = `${BUS_SOURCE}.${event.source.slice(event.source.lastIndexOf('/') + 1)}`;
  const detail = JSON.stringify(event);
  const stamp = parseStamp(event.time);
  return {
    Source: source,
    DetailType: event.type,
    Detail: detail,
    ...(stamp && { Time: new Date(Math.floor(stamp.instant / MILLISECOND)) }),
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html
    bytes: Buffer.byteLength(source + event.type + detail) + TIME_BYTES,
  };
}

function resultOf({ bytes }: Entry, result: PutEventsResultEntry | undefined): SendResult {
  if (result?.EventId !== undefined && result.ErrorCode === undefined) return { sent: true };
  const code = result?.ErrorCode ?? 'EventBridge returned no result for it';
  // Leave out the answer's message: it might repeat a part of the event.
  return {
    sent: false,
    cause: FOR_CONTENT.has(code) ? 'rejected' : 'failed',
    reason: `${code} (${bytes} bytes)`,
  };
}

/**
 * All other codes are temporary or about permissions. Those stop every event alike. As failures they are retried,
 * so all groups continue once they are fixed; groups noted as behind would not.
 */
const FOR_CONTENT: ReadonlySet<string> = new Set(['InvalidArgument', 'MalformedDetail', 'RedactionFailure']);

/** Applies to the call as a whole: this error has no code of its own. */
function rejectionOf(error: Error): string | undefined {
  return error.name === 'ValidationException' && /total size/i.test(error.message) ? TOO_LARGE : undefined;
}
