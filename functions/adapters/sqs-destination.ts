// Events to a FIFO queue, each group's in its order: the message group is the event's partition key. The queue drops
// a repeat within its five minutes by the event's id; a replay has an id of its own, so that it comes through.
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
  /** What the marks know it by. @default 'queue' */
  readonly name?: string;
  /** Of all messages of one call, and so of each. @default 1 MiB, what SQS takes */
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
 * SQS refuses U+FFFE, U+FFFF and lone surrogates. Inside JSON's strings (and nowhere else do they occur in JSON) an
 * escape stands for the same character. Pairs are escaped with them: there are engines that refuse each half.
 */
function escapeForSqs(json: string): string {
  return json.replace(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Answers name entries by their id, in any order; one that is in neither list was not sent for all we know. */
function resultOf({ Id, bytes }: Message, { Successful, Failed }: SendMessageBatchResult): SendResult {
  if (Successful?.some((entry) => entry.Id === Id)) return { sent: true };
  const failure = Failed?.find((entry) => entry.Id === Id);
  if (failure === undefined) return { sent: false, cause: 'failed', reason: 'SQS did not answer for it' };
  const isContent = failure.SenderFault === true && !NOT_FOR_CONTENT.test(failure.Code ?? '');
  return {
    sent: false,
    cause: isContent ? 'refused' : 'failed',
    // Not the message of the answer: it might repeat something of the event.
    reason: `${failure.Code ?? 'failed without a code'} (${bytes} bytes)`,
  };
}

/** Faults of the sender that its event has no part in: too fast, or a key or permission that is missing for now. */
const NOT_FOR_CONTENT = /throttl|overlimit|kms|accessdenied|security/i;
