// The ordered subscribers of a deployment, by the queues that are subscribed to its topic.

import type { SQS } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { type Deployment, withClient } from '../place/find-deployment.ts';
import { type Attempt, describeProblem } from './problems.ts';

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

/**
 * All subscribed queues but those of webhooks, by name; none where the deployment has no topic.
 *
 * @param webhookQueues names
 * @param withAges whether CloudWatch is asked, which bills each request, for the age of the oldest messages
 * @throws Error if the subscriptions can't be listed
 */
export async function listSubscribers(
  { topicArn }: Pick<Deployment, 'topicArn'>,
  webhookQueues: readonly string[],
  withAges: boolean,
): Promise<Subscribers> {
  if (topicArn === undefined) return { subscribers: [], problems: [] };
  const queues = (await subscribedQueues(topicArn)).filter((arn) => !webhookQueues.includes(nameOfArn(arn)));
  const problems: string[] = [];
  // CloudWatch shows an account its own queues alone.
  const own = withAges ? queues.filter((arn) => accountOf(arn) === accountOf(topicArn)).map(nameOfArn) : [];
  const [counted, ages] = await Promise.all([
    countQueues(queues, problems),
    readQueueAges(own).catch((error: unknown) => {
      problems.push(describeProblem("The age of the subscribers' oldest events", error));
      return new Map<string, undefined>();
    }),
  ]);
  const subscribers = counted.map((each) => ({ ...each, oldestSeconds: ages.get(each.queue) ?? null }));
  return { subscribers: subscribers.sort((a, b) => (a.queue < b.queue ? -1 : 1)), problems };
}

async function subscribedQueues(TopicArn: string): Promise<string[]> {
  const { SNS } = await import('@aws-sdk/client-sns');
  return withClient(new SNS(), async (client) => {
    const arns: string[] = [];
    for await (const { Subscriptions = [] } of client.paginateListSubscriptionsByTopic({ TopicArn }))
      for (const { Protocol, Endpoint } of Subscriptions)
        if (Protocol === 'sqs' && Endpoint !== undefined) arns.push(Endpoint);
    return arns;
  });
}

/** @param problems receives a sentence for each queue that can't be counted */
async function countQueues(arns: readonly string[], problems: string[]) {
  const { SQS } = await import('@aws-sdk/client-sqs');
  return withClient(new SQS(), (client) => Promise.all(arns.map((arn) => countQueue(client, arn, problems))));
}

async function countQueue(client: SQS, arn: string, problems: string[]) {
  const queue = nameOfArn(arn);
  const read = (what: string, of: string) =>
    readCounts(client, of).catch((error: unknown) => {
      // SQS reports a queue that it does not let the caller see as one that does not exist.
      const rights = `It takes sqs:GetQueueUrl and sqs:GetQueueAttributes on ${of}.`;
      problems.push(`${describeProblem(what, error)} ${rights}`);
      return undefined;
    });
  const counts = await read(`The queue of subscriber ${queue}`, arn);
  const deadLetterArn = counts?.deadLetterArn ?? null;
  const letters = deadLetterArn && (await read(`The dead letters of subscriber ${queue}`, deadLetterArn));
  return {
    queue,
    waiting: counts?.messages ?? null,
    deadLetters: letters ? letters.messages : null,
    deadLetterArn,
  };
}

async function readCounts(client: SQS, arn: string) {
  const name = { QueueName: nameOfArn(arn), QueueOwnerAWSAccountId: accountOf(arn) };
  const { QueueUrl } = await client.getQueueUrl(name);
  if (QueueUrl === undefined) throw new Error(`The queue ${nameOfArn(arn)} has no URL.`);
  return readQueueCounts(client, QueueUrl);
}

export function nameOfArn(arn: string): string {
  return arn.split(':').at(-1) ?? arn;
}

function accountOf(arn: string): string | undefined {
  return arn.split(':')[4];
}

// How many messages a queue holds, and where its dead letters go.

/** Messages that are visible, that wait for their next attempt, and that are being handled. */
const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

const redrivePolicy = z.object({ deadLetterTargetArn: z.string() });

/** The messages in each queue; null where they can't be counted. */
export async function countMessages(
  queues: readonly { readonly title: string; readonly queueUrl: string }[],
  attempt: Attempt,
): Promise<(number | null)[]> {
  const { SQS } = await import('@aws-sdk/client-sqs');
  return withClient(new SQS(), (client) => {
    const count = async (url: string) => (await readQueueCounts(client, url)).messages;
    return Promise.all(queues.map(({ title, queueUrl }) => attempt(title, () => count(queueUrl), null)));
  });
}

async function readQueueCounts(client: SQS, QueueUrl: string) {
  const AttributeNames = [...COUNTS, 'RedrivePolicy' as const];
  const { Attributes = {} } = await client.getQueueAttributes({ QueueUrl, AttributeNames });
  const { RedrivePolicy } = Attributes;
  return {
    messages: COUNTS.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0),
    deadLetterArn: RedrivePolicy && redrivePolicy.parse(JSON.parse(RedrivePolicy)).deadLetterTargetArn,
  };
}

// How old the oldest message of each queue is. SQS itself does not say it. CloudWatch reports it once a minute, a few
// minutes late, and bills each queue that it is asked for.

/** The reports lag by some minutes; an empty queue has none after a while. */
const LOOK_BACK_MS = 15 * 60_000;

/**
 * Seconds by the queue's name; undefined without a report. One call: a topic has at most 100 queues, and a call takes 500.
 *
 * @throws the errors of CloudWatch
 */
async function readQueueAges(queues: readonly string[]): Promise<Map<string, number | undefined>> {
  if (queues.length === 0) return new Map();
  const { CloudWatch } = await import('@aws-sdk/client-cloudwatch');
  const now = Date.now();
  const { MetricDataResults = [] } = await withClient(new CloudWatch(), (client) =>
    client.getMetricData({
      StartTime: new Date(now - LOOK_BACK_MS),
      EndTime: new Date(now),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: queues.map((queue, index) => ({ Id: idOf(index), MetricStat: ageOf(queue) })),
    }),
  );
  const newest = new Map(MetricDataResults.map(({ Id, Values }) => [Id, Values?.[0]]));
  return new Map(queues.map((queue, index) => [queue, newest.get(idOf(index))]));
}

function idOf(index: number): string {
  return `age${index}`;
}

function ageOf(queue: string) {
  const Metric = {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateAgeOfOldestMessage',
    Dimensions: [{ Name: 'QueueName', Value: queue }],
  };
  return { Metric, Period: 60, Stat: 'Maximum' };
}
