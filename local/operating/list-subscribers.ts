// The ordered subscribers of a deployment, by the queues that are subscribed to its topic.
import type { SNSClient } from '@aws-sdk/client-sns';
import type { QueueAttributeName, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Deployment } from './find-deployment.ts';
import { readQueueAges } from './queue-ages.ts';
import { describeTrouble } from './troubles.ts';

/** Null is unknown. */
export interface SubscriberStatus {
  /** The name of its queue. */
  readonly queue: string;
  /** Messages that wait or are being handled. */
  readonly waiting: number | null;
  readonly oldestSeconds: number | null;
  /** Messages in the queue's dead-letter queue. */
  readonly deadLetters: number | null;
  readonly deadLetterArn: string | null;
}

export interface Subscribers {
  readonly subscribers: readonly SubscriberStatus[];
  /** Why something is unknown, in sentences: for instance a queue of another account, or a right that is missing. */
  readonly problems: readonly string[];
}

type Counted = Omit<SubscriberStatus, 'oldestSeconds'>;

/**
 * All subscribed queues but those of webhooks, by name; none where the deployment has no topic.
 *
 * @param webhookQueues names
 * @throws Error if the subscriptions can't be listed
 */
export async function listSubscribers(
  { topicArn }: Pick<Deployment, 'topicArn'>,
  webhookQueues: readonly string[],
): Promise<Subscribers> {
  if (topicArn === undefined) return { subscribers: [], problems: [] };
  const queues = (await subscribedQueues(topicArn)).filter((arn) => !webhookQueues.includes(nameOfArn(arn)));
  const problems: string[] = [];
  // CloudWatch shows an account its own queues alone.
  const own = queues.filter((arn) => accountOf(arn) === accountOf(topicArn)).map(nameOfArn);
  const [counted, ages] = await Promise.all([
    countQueues(queues, problems),
    readQueueAges(own).catch((error: unknown) => {
      problems.push(describeTrouble("The age of the subscribers' oldest events", error));
      return new Map<string, number>();
    }),
  ]);
  const subscribers = counted.map((each) => ({ ...each, oldestSeconds: ages.get(each.queue) ?? null }));
  return { subscribers: subscribers.sort((a, b) => (a.queue < b.queue ? -1 : 1)), problems };
}

async function subscribedQueues(TopicArn: string): Promise<string[]> {
  const { ListSubscriptionsByTopicCommand, SNSClient } = await import('@aws-sdk/client-sns');
  const client: SNSClient = new SNSClient();
  const arns: string[] = [];
  let NextToken: string | undefined;
  try {
    do {
      const page = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken }));
      for (const { Protocol, Endpoint } of page.Subscriptions ?? [])
        if (Protocol === 'sqs' && Endpoint !== undefined) arns.push(Endpoint);
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return arns;
  } finally {
    client.destroy();
  }
}

/** @param problems receives a sentence for each queue that can't be counted */
async function countQueues(arns: readonly string[], problems: string[]): Promise<Counted[]> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  const client: SQSClient = new SQSClient();
  try {
    return await Promise.all(arns.map((arn) => countQueue(client, arn, problems)));
  } finally {
    client.destroy();
  }
}

async function countQueue(client: SQSClient, arn: string, problems: string[]): Promise<Counted> {
  const queue = nameOfArn(arn);
  const read = async (what: string, of: string) =>
    readAttributes(client, of).catch((error: unknown) => {
      // SQS reports a queue that it does not let the caller see as one that does not exist.
      const rights = `It takes sqs:GetQueueUrl and sqs:GetQueueAttributes on ${of}.`;
      problems.push(`${describeTrouble(what, error)} ${rights}`);
      return undefined;
    });
  const attributes = await read(`The queue of subscriber ${queue}`, arn);
  const deadLetterArn = deadLetterArnOf(attributes?.RedrivePolicy);
  const letters = deadLetterArn && (await read(`The dead letters of subscriber ${queue}`, deadLetterArn));
  return {
    queue,
    waiting: attributes ? sumOf(attributes) : null,
    deadLetters: letters ? sumOf(letters) : null,
    deadLetterArn: deadLetterArn ?? null,
  };
}

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const satisfies readonly QueueAttributeName[];

type Attributes = Readonly<Partial<Record<string, string>>>;

async function readAttributes(client: SQSClient, arn: string): Promise<Attributes> {
  const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs');
  const QueueUrl = await urlOf(client, arn);
  const AttributeNames: QueueAttributeName[] = [...COUNTS, 'RedrivePolicy'];
  return (await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes ?? {};
}

async function urlOf(client: SQSClient, arn: string): Promise<string> {
  const { GetQueueUrlCommand } = await import('@aws-sdk/client-sqs');
  const { QueueUrl } = await client.send(
    new GetQueueUrlCommand({ QueueName: nameOfArn(arn), QueueOwnerAWSAccountId: accountOf(arn) }),
  );
  if (QueueUrl === undefined) throw new Error(`The queue ${nameOfArn(arn)} has no URL.`);
  return QueueUrl;
}

function sumOf(attributes: Attributes): number {
  return COUNTS.reduce((sum, name) => sum + Number(attributes[name] ?? 0), 0);
}

const redrivePolicy = z.object({ deadLetterTargetArn: z.string() });

function deadLetterArnOf(policy: string | undefined): string | undefined {
  return policy === undefined ? undefined : redrivePolicy.parse(JSON.parse(policy)).deadLetterTargetArn;
}

export function nameOfArn(arn: string): string {
  return arn.split(':').at(-1) ?? arn;
}

function accountOf(arn: string): string | undefined {
  return arn.split(':')[4];
}
