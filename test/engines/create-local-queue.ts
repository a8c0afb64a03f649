import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** @returns the new queue's URL */
export async function createLocalQueue(
  client: SQSClient,
  QueueName: string,
  Attributes: Record<string, string>,
): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  if (QueueUrl === undefined) throw new Error(`The engine returned no URL for the new queue ${QueueName}.`);
  return QueueUrl;
}
