// Handles the messages of a webhook's queue. A message only rings: of its content only the event's id is used, which
// names the return. A ring that is not done stays in the queue and comes again after the pause that the sender chooses.
// An operator's message asks for a test instead, which never comes again.
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { parseEventId } from '../../shared/contract/event-id.ts';
import type { Log } from '../../shared/ports.ts';
import type { Ring, WebhookSender } from '../../shared/webhooks/webhook-sender.ts';
import { parseTestId, type RunEndpointTest } from './endpoint-test.ts';

export interface RingHandlerOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly send: WebhookSender;
  readonly test: RunEndpointTest;
  readonly log: Log;
  /** Called with how long a return's next event, or the endpoint, has failed. */
  readonly onFailing: (failingForMs: number) => void;
  /** See PostPace. */
  readonly untilNextPost: () => Promise<void>;
}

export type RingHandler = (event: Pick<SQSEvent, 'Records'>, timeLeftMs: number) => Promise<SQSBatchResponse>;

/** A ring that could not be handled at all, for instance because a table does not answer, comes again after this. */
const AFTER_ERROR_MS = 5_000;

export function createRingHandler(options: RingHandlerOptions): RingHandler {
  return async ({ Records }, timeLeftMs) => {
    // All at once. The batch size is 1, so no two of them are of one return.
    const isDone = await Promise.all(Records.map((record) => handle(options, record, timeLeftMs)));
    // The next invocation, in another process, does not know when this one posted.
    await options.untilNextPost();
    const failed = Records.filter((_, index) => !isDone[index]);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** @returns whether the message is done */
async function handle(options: RingHandlerOptions, record: SQSRecord, timeLeftMs: number): Promise<boolean> {
  const { send, log, onFailing } = options;
  const message = parseMessage(record.body);
  if (message === undefined) {
    log.error('a message of the queue names no event; it is dropped', { messageId: record.messageId });
    return true;
  }
  if ('test' in message) return runTest(options, message.test);
  const { ring } = message;
  try {
    const outcome = await send(ring, timeLeftMs);
    if (outcome.isDone) return true;
    if (outcome.failingForMs !== undefined) onFailing(outcome.failingForMs);
    await comeAgain(options, record, outcome.retryInMs);
  } catch (error) {
    log.error('a ring failed', { ...ring.key, error: error instanceof Error ? error : undefined });
    await comeAgain(options, record, AFTER_ERROR_MS);
  }
  return false;
}

/** A test that failed is not repeated: the operator sees the failure and can send another. */
async function runTest({ test, log }: RingHandlerOptions, id: Parameters<RunEndpointTest>[0]): Promise<true> {
  try {
    await test(id);
  } catch (error) {
    log.error('a test failed', { error: error instanceof Error ? error : undefined });
  }
  return true;
}

type Message = { readonly ring: Ring } | { readonly test: Parameters<RunEndpointTest>[0] };

const shape = z.union([z.object({ id: z.string() }), z.object({ test: z.string() })]);

/** @returns undefined if the message names neither an event nor a test */
export function parseMessage(body: string): Message | undefined {
  try {
    const message = shape.parse(JSON.parse(body));
    if ('test' in message) {
      const test = parseTestId(message.test);
      return test && { test };
    }
    const key = parseEventId(message.id);
    return key && { ring: { key, sequence: key.sequence } };
  } catch {
    return undefined;
  }
}

/** Makes the message visible again after the pause. Where that fails, the queue's own timeout decides. */
async function comeAgain(
  { client, queueUrl, log }: RingHandlerOptions,
  { receiptHandle, messageId }: SQSRecord,
  pauseMs: number,
): Promise<void> {
  const command = new ChangeMessageVisibilityCommand({
    QueueUrl: queueUrl,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: Math.ceil(pauseMs / 1_000),
  });
  try {
    await client.send(command);
  } catch (error) {
    log.warn('the pause of a ring could not be set', {
      messageId,
      error: error instanceof Error ? error : undefined,
    });
  }
}
