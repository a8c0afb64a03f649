// Lambda's event source mapping for SQS. A message is deleted once the handler has processed it. A failed message stays
// in the queue and comes back after the visibility timeout, or moves according to the redrive policy.
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import type { Clock } from '../../shared/ports.ts';
import {
  type EventSourceMapping,
  failedIdentifiers,
  pauseAfter,
  stoppedBeforeIdle,
} from './event-source-mapping.ts';
import { toSqsRecord } from './sqs-record.ts';

const LONG_POLL_SECONDS = 20;
const IDLE_CHECK_MS = 50;

export interface QueueMapping {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Returns nothing, or the failed messages (SQSBatchResponse); a rejection fails all of them. */
  readonly handler: (event: SQSEvent) => Promise<unknown>;
  readonly clock: Clock;
  /** Called with the errors of failed invocations and of failed calls to the queue; both are retried. */
  readonly onError: (error: unknown) => void;
  /** Messages per invocation, 1 to 10. @default 10 */
  readonly batchSize?: number;
}

/**
 * Starts to read a queue. `idle` waits until no message is visible or being processed, so it also waits for failed
 * messages that come again, but not for delayed ones.
 */
export function pollQueue(mapping: QueueMapping): EventSourceMapping {
  const stopping = new AbortController();
  const polling = poll(mapping, stopping.signal);
  return {
    idle: () => untilEmpty(mapping, stopping.signal),
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}

async function poll(mapping: QueueMapping, stopping: AbortSignal): Promise<void> {
  let queueArn: string | undefined;
  for (let failures = 0; !stopping.aborted; ) {
    try {
      queueArn ??= (await readAttributes(mapping, ['QueueArn'], stopping)).QueueArn ?? '';
      const messages = await receive(mapping, stopping);
      if (stopping.aborted) await giveBack(mapping, messages);
      else await handle(mapping, messages, queueArn);
      failures = 0;
    } catch (error) {
      if (stopping.aborted) return;
      mapping.onError(error);
      await mapping.clock.sleep(pauseAfter(++failures), stopping);
    }
  }
}

async function receive(
  { client, queueUrl, batchSize = 10 }: QueueMapping,
  stopping: AbortSignal,
): Promise<readonly Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: LONG_POLL_SECONDS,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
    { abortSignal: stopping },
  );
  return Messages;
}

/** Invokes the handler and deletes the messages that it has processed. */
async function handle(mapping: QueueMapping, messages: readonly Message[], queueArn: string): Promise<void> {
  if (messages.length === 0) return;
  const records = messages.map((message) => toSqsRecord(message, queueArn));
  const identifiers = new Set(records.map(({ messageId }) => messageId));
  let failed: ReadonlySet<string> = identifiers;
  try {
    failed = failedIdentifiers(await mapping.handler({ Records: records }), identifiers);
  } catch (error) {
    mapping.onError(error);
  }
  const done = records.filter(({ messageId }) => !failed.has(messageId));
  if (done.length === 0) return;
  const { Failed = [] } = await mapping.client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: mapping.queueUrl,
      Entries: done.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle })),
    }),
  );
  for (const { Code, Message } of Failed) {
    mapping.onError(new Error(`A message was handled but not deleted: ${Code} ${Message ?? ''}`));
  }
}

async function giveBack({ client, queueUrl }: QueueMapping, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  await client.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl: queueUrl,
      Entries: messages.map(({ ReceiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout: 0,
      })),
    }),
  );
}

async function untilEmpty(mapping: QueueMapping, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      if (await isEmpty(mapping, stopping)) return;
    } catch (error) {
      if (!stopping.aborted) mapping.onError(error);
    }
    await mapping.clock.sleep(IDLE_CHECK_MS, stopping);
  }
  throw stoppedBeforeIdle();
}

/** Each message is in one of the two counts from its sending to its deletion. */
async function isEmpty(mapping: QueueMapping, stopping: AbortSignal): Promise<boolean> {
  const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: handled } =
    await readAttributes(
      mapping,
      ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      stopping,
    );
  return visible === '0' && handled === '0';
}

async function readAttributes(
  { client, queueUrl }: QueueMapping,
  names: QueueAttributeName[],
  stopping: AbortSignal,
): Promise<Partial<Record<string, string>>> {
  const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: names });
  const { Attributes = {} } = await client.send(command, { abortSignal: stopping });
  return Attributes;
}
