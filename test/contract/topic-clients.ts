// Clients of an engine's topics and queues, and a topic to publish to.
import { SNSClient } from '@aws-sdk/client-sns';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createLocalTopic } from '../engines/local-topic.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

export function connectSqs(endpoint: string): SQSClient {
  // Queue URLs contain the engine's address, but a test may use a proxy.
  return new SQSClient({
    endpoint,
    region: 'eu-west-1',
    credentials,
    useQueueUrlAsEndpoint: false,
    maxAttempts: 1,
  });
}

/** Receives and deletes all messages, in the order of the queue. */
export async function drain(client: SQSClient, queueUrl: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return all;
    all.push(...Messages);
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

export function connectSns(endpoint: string): SNSClient {
  return new SNSClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
}

/** Creates a topic with one subscribed queue. */
export async function createTopicWithQueue(sns: SNSClient, sqs: SQSClient) {
  const { arn, subscribeQueue } = await createLocalTopic(sns, sqs);
  return { topicArn: arn, queueUrl: await subscribeQueue('events') };
}
