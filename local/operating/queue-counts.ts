// How many messages a queue holds.
import type { QueueAttributeName, SQSClient } from '@aws-sdk/client-sqs';

/** Messages that are visible, that wait for their next attempt, and that are being handled. */
const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const satisfies readonly QueueAttributeName[];

export type QueueAttributes = Readonly<Partial<Record<string, string>>>;

/** The attributes that {@link sumOfMessages} adds up, and others. */
export async function readQueueCounts(
  client: SQSClient,
  QueueUrl: string,
  others: readonly QueueAttributeName[] = [],
): Promise<QueueAttributes> {
  const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs');
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...COUNTS, ...others] });
  return (await client.send(command)).Attributes ?? {};
}

export function sumOfMessages(attributes: QueueAttributes): number {
  return COUNTS.reduce((sum, name) => sum + Number(attributes[name] ?? 0), 0);
}
