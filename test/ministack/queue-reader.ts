// Takes the messages of a queue, and keeps them in their order.
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

export interface QueueReader<Body> {
  /** Oldest first. */
  readonly messages: readonly Body[];
  /** Of each message, in the same order; for FIFO queues. */
  readonly labels: readonly Label[];
  /** Takes all that the queue has. */
  read(): Promise<readonly Body[]>;
}

/** What a FIFO queue orders by, and what it recognises repeats by. */
export interface Label {
  readonly group: string | undefined;
  readonly deduplication: string | undefined;
}

const sqs = new SQSClient({});

export function createQueueReader<Body>(QueueUrl: string): QueueReader<Body> {
  const messages: Body[] = [];
  const labels: Label[] = [];
  return {
    ...{ messages, labels },
    async read() {
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            ...{ QueueUrl, MaxNumberOfMessages: 10 },
            MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId'],
          }),
        );
        if (Messages.length === 0) return messages;
        messages.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)));
        labels.push(...Messages.map(labelOf));
        const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
  };
}

function labelOf({ Attributes }: Message): Label {
  return { group: Attributes?.MessageGroupId, deduplication: Attributes?.MessageDeduplicationId };
}
