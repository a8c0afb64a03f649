// How many messages a queue holds, and where its dead letters go.
import type { SQS } from '@aws-sdk/client-sqs';
import * as z from 'zod';

/** Messages that are visible, that wait for their next attempt, and that are being handled. */
const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

const redrivePolicy = z.object({ deadLetterTargetArn: z.string() });

export async function readQueueCounts(client: SQS, QueueUrl: string) {
  const AttributeNames = [...COUNTS, 'RedrivePolicy' as const];
  const { Attributes = {} } = await client.getQueueAttributes({ QueueUrl, AttributeNames });
  const { RedrivePolicy } = Attributes;
  return {
    messages: COUNTS.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0),
    deadLetterArn: RedrivePolicy && redrivePolicy.parse(JSON.parse(RedrivePolicy)).deadLetterTargetArn,
  };
}
