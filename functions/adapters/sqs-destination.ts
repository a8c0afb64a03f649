// Sends events to a FIFO queue, each group's in order: the message group is the event's partition key. Within five
// minutes the queue drops repeats by the event's id; a replay has an id of its own, so it passes.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
import {
  BatchRequestTooLong,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SendMessageBatchResult,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Destination, SendResult } from '../../shared/ports.ts';
import { type Sized, sendInParts } from './send-in-parts.ts';

export interface SqsDestinationOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** The destination's name in the marks. @default 'queue' */
  readonly name?: string;
  /** The limit for all messages of one call together. @default 1 MiB, SQS's limit */
  readonly maxBytes?: number;
}

const MIB = 1_048_576;

type Message = SendMessageBatchRequestEntry & Sized;

export function createSqsDestination({
  client,
  queueUrl,
  name = 'queue',
  maxBytes = MIB,
}: SqsDestinationOptions): Destination {
  async function send(messages: readonly Message[]): Promise<SendResult[]> {
    const Entries = messages.map(({ bytes: _, ...entry }) => entry);
    const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    return messages.map((message) => resultOf(message, answer));
  }
  const isTooLarge = (error: unknown) => error instanceof BatchRequestTooLong;
  return { name, send: (events) => sendInParts(events.map(toMessage), { maxBytes, send, isTooLarge }) };
}

function toMessage(event: FeedEvent): Message {
  const body = escapeForSqs(JSON.stringify(event));
  const attributes = { type: event.type, source: event.source };
  const bytes = Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name + TEXT + value),
    Buffer.byteLength(body),
  );
  return {
    Id: event.id,
    MessageBody: body,
    MessageGroupId: event.partitionkey,
    MessageDeduplicationId: event.replayid === undefined ? event.id : `${event.id}_${event.replayid}`,
    MessageAttributes: {
      type: { DataType: TEXT, StringValue: attributes.type },
      source: { DataType: TEXT, StringValue: attributes.source },
    },
    bytes,
  };
}

const TEXT = 'String';

/**
 * SQS refuses U+FFFE, U+FFFF and lone surrogates. In JSON these occur only inside strings, where an escape means the
 * same character. Surrogate pairs are escaped as well, because some engines refuse each half.
 */
function escapeForSqs(json: string): string {
  return json.replace(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Answers name entries by their id, in any order; an entry in neither list counts as not sent. */
function resultOf({ Id, bytes }: Message, { Successful, Failed }: SendMessageBatchResult): SendResult {
  if (Successful?.some((entry) => entry.Id === Id)) return { sent: true };
  const failure = Failed?.find((entry) => entry.Id === Id);
  if (failure === undefined) return { sent: false, cause: 'failed', reason: 'SQS returned no result for it' };
  const isContent = failure.SenderFault === true && !NOT_FOR_CONTENT.test(failure.Code ?? '');
  return {
    sent: false,
    cause: isContent ? 'refused' : 'failed',
    // Leave out the answer's message: it might repeat a part of the event.
    reason: `${failure.Code ?? 'failed without a code'} (${bytes} bytes)`,
  };
}

/** Sender faults that are not the event's: too fast, or a key or permission that is missing for now. */
const NOT_FOR_CONTENT = /throttl|overlimit|kms|accessdenied|security/i;
