// The ordered topic on this machine, as the infrastructure creates it in AWS: each subscriber has a queue of its own.
import { CreateTopicCommand, type SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type EventFilter, filterPolicy } from '../../shared/contract/event-filter.ts';
import { createLocalQueue } from './create-local-queue.ts';

const VISIBILITY_SECONDS = 60;

export interface LocalTopic {
  readonly arn: string;
  /**
   * Creates a FIFO queue that gets the events from now on, as they were published.
   *
   * @param filter which events it gets; without it all changes, and none of the feed's own events
   * @returns the queue's URL
   */
  subscribeQueue(name: string, filter?: EventFilter): Promise<string>;
}

export async function createLocalTopic(sns: SNSClient, sqs: SQSClient): Promise<LocalTopic> {
  const { TopicArn } = await sns.send(
    new CreateTopicCommand({ Name: 'events.fifo', Attributes: { FifoTopic: 'true' } }),
  );
  if (TopicArn === undefined) throw new Error('The engine returned no ARN for the new topic.');
  return {
    arn: TopicArn,
    async subscribeQueue(name, filter = {}) {
      const url = await createLocalQueue(sqs, `${name}.fifo`, {
        FifoQueue: 'true',
        VisibilityTimeout: String(VISIBILITY_SECONDS),
      });
      await sns.send(
        new SubscribeCommand({
          TopicArn,
          Protocol: 'sqs',
          Endpoint: await arnOf(sqs, url),
          Attributes: { RawMessageDelivery: 'true', FilterPolicy: JSON.stringify(filterPolicy(filter)) },
        }),
      );
      return url;
    },
  };
}

async function arnOf(client: SQSClient, QueueUrl: string): Promise<string> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const { Attributes } = await client.send(command);
  if (Attributes?.QueueArn === undefined) throw new Error(`The engine returned no ARN for ${QueueUrl}.`);
  return Attributes.QueueArn;
}
