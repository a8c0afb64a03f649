import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';

export interface LocalQueues {
  readonly polls: string;
  readonly events: string;
}

/** Creates the two queues like the infrastructure does in AWS. @returns their URLs */
export async function createLocalQueues(client: SQSClient): Promise<LocalQueues> {
  const [polls, events] = await Promise.all([
    createQueue(client, 'polls', { VisibilityTimeout: '120' }),
    createQueue(client, 'events.fifo', { FifoQueue: 'true', VisibilityTimeout: '60' }),
  ]);
  return { polls, events };
}

async function createQueue(
  client: SQSClient,
  QueueName: string,
  Attributes: Record<string, string>,
): Promise<string> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  if (QueueUrl === undefined) throw new Error(`The engine returned no URL for the new queue ${QueueName}.`);
  return QueueUrl;
}
