// Sends many messages to an SQS queue, ten at a time.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { chunked, inParallel } from '../../shared/in-parallel.ts';
import { MAX_BATCH_ENTRIES } from '../../shared/limits.ts';

export interface QueueMessage {
  readonly body: string;
  readonly delaySeconds?: number;
  /** In a standard queue: whose it is. SQS then serves the groups fairly. */
  readonly group?: string;
}

export type SendMessages = (messages: readonly QueueMessage[]) => Promise<void>;

const CALLS_AT_ONCE = 8;

/** @returns a function that throws if SQS did not take all messages; it may have taken some of them */
export function createMessageQueue(client: SQSClient, queueUrl: string): SendMessages {
  return async (messages) => {
    const failed = await inParallel(chunked(messages, MAX_BATCH_ENTRIES), CALLS_AT_ONCE, async (batch) => {
      const Entries = batch.map(({ body, delaySeconds, group }, index) => ({
        ...{ Id: String(index), MessageBody: body, DelaySeconds: delaySeconds, MessageGroupId: group },
      }));
      const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return Failed;
    });
    const [first, ...others] = failed.flat();
    if (first !== undefined)
      throw new Error(`SQS rejected ${others.length + 1} messages: ${first.Code} ${first.Message ?? ''}`);
  };
}
