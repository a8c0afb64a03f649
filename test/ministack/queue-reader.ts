// Takes the messages of a queue, and keeps them in their order.
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

export interface QueueReader<Message> {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Takes all that the queue has. */
  read(): Promise<readonly Message[]>;
}

const sqs = new SQSClient({});

export function createQueueReader<Message>(QueueUrl: string): QueueReader<Message> {
  const messages: Message[] = [];
  return {
    messages,
    async read() {
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
        );
        if (Messages.length === 0) return messages;
        messages.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)));
        const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
  };
}
