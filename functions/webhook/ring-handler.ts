// Handles the messages of a webhook's queue. A message only rings: of its content just the event's id is used, to name
// the return. A ring that is not done stays in the queue and comes again when the sender asks for it.
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { parseEventId } from '../../shared/contract/event-id.ts';
import type { Log } from '../../shared/ports.ts';
import type { Ring, WebhookSender } from '../../shared/webhooks/webhook-sender.ts';

export interface RingHandlerOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly send: WebhookSender;
  readonly log: Log;
  /** Called with how long a return's next event, or the endpoint, has failed. */
  readonly onFailing: (failingForMs: number) => void;
}

export type RingHandler = (event: Pick<SQSEvent, 'Records'>, timeLeftMs: number) => Promise<SQSBatchResponse>;

/** A ring that could not be handled at all, for instance because a table does not answer, comes again after this. */
const AFTER_ERROR_MS = 5_000;

export function createRingHandler(options: RingHandlerOptions): RingHandler {
  return async ({ Records }, timeLeftMs) => {
    // All at once: they are of different returns, because the queue's batch size is 1 or its groups are.
    const isDone = await Promise.all(Records.map((record) => handle(options, record, timeLeftMs)));
    const failed = Records.filter((_, index) => !isDone[index]);
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

async function handle(options: RingHandlerOptions, record: SQSRecord, timeLeftMs: number): Promise<boolean> {
  const { send, log, onFailing } = options;
  const ring = parseRing(record.body);
  if (ring === undefined) {
    log.error('a message of the queue names no event; it is dropped', { messageId: record.messageId });
    return true;
  }
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

const message = z.object({ id: z.string() });

/** @returns the group and number of the event that the message names; undefined if it names none */
export function parseRing(body: string): Ring | undefined {
  try {
    const key = parseEventId(message.parse(JSON.parse(body)).id);
    return key && { key, sequence: key.sequence };
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
