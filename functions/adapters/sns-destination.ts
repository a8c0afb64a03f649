// Publishes events to a FIFO topic, each group's in order: the message group is the event's partition key. Within five
// minutes the topic drops repeats by the event's id; a replay has an id of its own, so it passes. Each subscription
// filters by the message's attributes, and with raw delivery its queue gets the message as it was published.
// https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
import {
  PublishBatchCommand,
  type PublishBatchRequestEntry,
  type PublishBatchResponse,
  type SNSClient,
} from '@aws-sdk/client-sns';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { filterAttributes } from '../../shared/contract/event-filter.ts';
import { markOf } from '../../shared/deployment/destinations.ts';
import type { Destination, SendResult } from '../../shared/ports.ts';
import { MAX_CALL_BYTES, type Sized, sendInParts, TOO_LARGE } from './send-in-parts.ts';

export interface SnsDestinationOptions {
  readonly client: SNSClient;
  readonly topicArn: string;
  /** The limit for all messages of one call together. @default 1 MiB, the largest MaximumMessageSize of a topic */
  readonly maxBytes?: number;
}

type Message = PublishBatchRequestEntry & Sized;

export function createSnsDestination({
  client,
  topicArn,
  maxBytes = MAX_CALL_BYTES,
}: SnsDestinationOptions): Destination {
  async function send(messages: readonly Message[]): Promise<SendResult[]> {
    const entries = messages.map(({ bytes: _, ...entry }) => entry);
    const answer = await client.send(
      new PublishBatchCommand({ TopicArn: topicArn, PublishBatchRequestEntries: entries }),
    );
    return messages.map((message) => resultOf(message, answer));
  }
  return {
    name: markOf('ordered'),
    send: (events) => sendInParts(events.map(toMessage), { maxBytes, send, rejectionOf }),
  };
}

function toMessage(event: FeedEvent): Message {
  const message = escapeForSqs(JSON.stringify(event));
  const attributes = Object.entries(filterAttributes(event)).map(([name, value]) => toAttribute(name, value));
  return {
    Id: event.id,
    Message: message,
    MessageGroupId: event.partitionkey,
    MessageDeduplicationId: event.replayid === undefined ? event.id : `${event.id}_${event.replayid}`,
    MessageAttributes: Object.fromEntries(
      attributes.map(({ name, type, value }) => [name, { DataType: type, StringValue: value }]),
    ),
    // All parts of an attribute count. https://docs.aws.amazon.com/sns/latest/api/API_MessageAttributeValue.html
    bytes: attributes.reduce(
      (sum, { name, type, value }) => sum + Buffer.byteLength(name + type + value),
      Buffer.byteLength(message),
    ),
  };
}

interface Attribute {
  readonly name: string;
  readonly type: 'String' | 'String.Array';
  readonly value: string;
}

/** A list meets a policy if one of its elements does. */
function toAttribute(name: string, value: string | readonly string[]): Attribute {
  if (typeof value === 'string') return { name, type: 'String', value };
  return { name, type: 'String.Array', value: JSON.stringify(value) };
}

/**
 * SNS takes any UTF-8, but SQS does not take U+FFFE, U+FFFF and lone surrogates: it would reject or change the message
 * after SNS has confirmed it. In JSON these occur only inside strings, where an escape means the same character.
 * Surrogate pairs are escaped as well, because some engines reject each half.
 */
function escapeForSqs(json: string): string {
  return json.replace(
    /[\ud800-\udfff\ufffe\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Answers name entries by their id, in any order; an entry in neither list counts as not sent. */
function resultOf({ Id, bytes }: Message, { Successful, Failed }: PublishBatchResponse): SendResult {
  if (Successful?.some((entry) => entry.Id === Id)) return { sent: true };
  const failure = Failed?.find((entry) => entry.Id === Id);
  if (failure === undefined) return { sent: false, cause: 'failed', reason: 'SNS returned no result for it' };
  const isContent = failure.SenderFault === true && FOR_CONTENT.test(failure.Code ?? '');
  return {
    sent: false,
    cause: isContent ? 'rejected' : 'failed',
    // Leave out the answer's message: it might repeat a part of the event.
    reason: `${failure.Code ?? 'failed without a code'} (${bytes} bytes)`,
  };
}

/** SNS checks some rules for the call as a whole, and then rejects all of it for one entry. */
function rejectionOf({ name, message }: Error): string | undefined {
  if (name === 'BatchRequestTooLongException') return TOO_LARGE;
  // A wrong ARN stops every event alike.
  return FOR_CONTENT.test(name) && !message.includes('TopicArn') ? name : undefined;
}

/**
 * Codes and names of errors that are about an entry's content. All others are temporary or about permissions and keys.
 * Those stop every event alike. As failures they are retried, so all groups continue once they are fixed; groups noted
 * as behind would not. Some codes end with "Exception" in the SDK.
 */
const FOR_CONTENT =
  /^(InvalidParameter(Value)?|ParameterValueInvalid|InvalidMessageContents|Validation(Error)?|InvalidBatchEntryId)(Exception)?$/;
