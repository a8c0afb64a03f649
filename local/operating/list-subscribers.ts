// The ordered subscribers of a deployment, by the queues that are subscribed to its topic.
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { QueueAttributeName, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Deployment } from './find-deployment.ts';

/** Null is unknown. */
export interface SubscriberStatus {
  /** The name of its queue. */
  readonly queue: string;
  /** Messages that wait or are being handled. */
  readonly waiting: number | null;
  readonly oldestSeconds: number | null;
  /** Messages in the queue's dead-letter queue. */
  readonly deadLetters: number | null;
  /** The name of that queue. */
  readonly deadLetterQueue: string | null;
  /** Why something is unknown, for instance a queue of another account. */
  readonly problem: string | null;
}

interface Clients {
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  readonly cloudWatch: CloudWatchClient;
}

/** All subscribed queues but those of webhooks, by name; none where the deployment has no topic. */
export async function listSubscribers(
  { topicArn }: Pick<Deployment, 'topicArn'>,
  webhookQueues: readonly string[],
): Promise<SubscriberStatus[]> {
  if (topicArn === undefined) return [];
  const [sns, sqs, cloudWatch] = await Promise.all([
    import('@aws-sdk/client-sns').then(({ SNSClient }) => new SNSClient()),
    import('@aws-sdk/client-sqs').then(({ SQSClient }) => new SQSClient()),
    import('@aws-sdk/client-cloudwatch').then(({ CloudWatchClient }) => new CloudWatchClient()),
  ]);
  const clients = { sns, sqs, cloudWatch };
  try {
    const arns = (await subscribedQueues(sns, topicArn)).filter(
      (arn) => !webhookQueues.includes(nameOf(arn)),
    );
    const statuses = await Promise.all(arns.map((arn) => describeSubscriber(clients, arn)));
    return statuses.sort((a, b) => (a.queue < b.queue ? -1 : 1));
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
}

async function subscribedQueues(client: SNSClient, TopicArn: string): Promise<string[]> {
  const { ListSubscriptionsByTopicCommand } = await import('@aws-sdk/client-sns');
  const arns: string[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken }));
    for (const { Protocol, Endpoint } of page.Subscriptions ?? [])
      if (Protocol === 'sqs' && Endpoint !== undefined) arns.push(Endpoint);
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return arns;
}

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const satisfies readonly QueueAttributeName[];

async function describeSubscriber({ sqs, cloudWatch }: Clients, arn: string): Promise<SubscriberStatus> {
  const queue = nameOf(arn);
  const unknown = { waiting: null, oldestSeconds: null, deadLetters: null, deadLetterQueue: null };
  try {
    const attributes = await readAttributes(sqs, arn);
    const deadLetterArn = deadLetterArnOf(attributes.RedrivePolicy);
    return {
      queue,
      waiting: sumOf(attributes),
      oldestSeconds: await readAge(cloudWatch, queue),
      deadLetters: deadLetterArn === undefined ? null : sumOf(await readAttributes(sqs, deadLetterArn)),
      deadLetterQueue: deadLetterArn === undefined ? null : nameOf(deadLetterArn),
      problem: null,
    };
  } catch (error) {
    return { queue, ...unknown, problem: (error as Error).message };
  }
}

type Attributes = Readonly<Partial<Record<string, string>>>;

async function readAttributes(client: SQSClient, arn: string): Promise<Attributes> {
  const { GetQueueAttributesCommand } = await import('@aws-sdk/client-sqs');
  const QueueUrl = await urlOf(client, arn);
  const AttributeNames: QueueAttributeName[] = [...COUNTS, 'RedrivePolicy'];
  return (await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes ?? {};
}

async function urlOf(client: SQSClient, arn: string): Promise<string> {
  const { GetQueueUrlCommand } = await import('@aws-sdk/client-sqs');
  const QueueOwnerAWSAccountId = arn.split(':')[4];
  const { QueueUrl } = await client.send(
    new GetQueueUrlCommand({ QueueName: nameOf(arn), QueueOwnerAWSAccountId }),
  );
  if (QueueUrl === undefined) throw new Error(`The queue ${nameOf(arn)} has no URL.`);
  return QueueUrl;
}

function sumOf(attributes: Attributes): number {
  return COUNTS.reduce((sum, name) => sum + Number(attributes[name] ?? 0), 0);
}

const redrivePolicy = z.object({ deadLetterTargetArn: z.string() });

function deadLetterArnOf(policy: string | undefined): string | undefined {
  return policy === undefined ? undefined : redrivePolicy.parse(JSON.parse(policy)).deadLetterTargetArn;
}

/** SQS itself does not say how old a message is. CloudWatch reports it once a minute, a few minutes late. */
async function readAge(client: CloudWatchClient, queue: string): Promise<number | null> {
  const { GetMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
  const Metric = {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateAgeOfOldestMessage',
    Dimensions: [{ Name: 'QueueName', Value: queue }],
  };
  const now = Date.now();
  const { MetricDataResults } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now - 15 * 60_000),
      EndTime: new Date(now),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: [{ Id: 'age', MetricStat: { Metric, Period: 60, Stat: 'Maximum' } }],
    }),
  );
  return MetricDataResults?.[0]?.Values?.[0] ?? null;
}

function nameOf(arn: string): string {
  return arn.split(':').at(-1) ?? arn;
}
