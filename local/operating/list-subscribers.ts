// The ordered subscribers of a deployment, by the queues that are subscribed to its topic.
import type { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Deployment } from './find-deployment.ts';
import { describeProblem } from './problems.ts';
import { readQueueAges } from './queue-ages.ts';
import { type QueueAttributes, readQueueCounts, sumOfMessages } from './queue-counts.ts';
import { withClient } from './with-client.ts';

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
      problems.push(describeProblem("The age of the subscribers' oldest events", error));
      return new Map<string, number>();
    }),
  ]);
  const subscribers = counted.map((each) => ({ ...each, oldestSeconds: ages.get(each.queue) ?? null }));
  return { subscribers: subscribers.sort((a, b) => (a.queue < b.queue ? -1 : 1)), problems };
}

async function subscribedQueues(TopicArn: string): Promise<string[]> {
  const { paginateListSubscriptionsByTopic, SNSClient } = await import('@aws-sdk/client-sns');
  return withClient(new SNSClient(), async (client) => {
    const arns: string[] = [];
    for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
      for (const { Protocol, Endpoint } of Subscriptions)
        if (Protocol === 'sqs' && Endpoint !== undefined) arns.push(Endpoint);
    return arns;
  });
}

/** @param problems receives a sentence for each queue that can't be counted */
async function countQueues(arns: readonly string[], problems: string[]): Promise<Counted[]> {
  const sqs = await import('@aws-sdk/client-sqs');
  return withClient(new sqs.SQSClient(), (client) =>
    Promise.all(arns.map((arn) => countQueue(client, arn, problems))),
  );
}

async function countQueue(client: SQSClient, arn: string, problems: string[]): Promise<Counted> {
  const queue = nameOfArn(arn);
  const read = async (what: string, of: string) =>
    readAttributes(client, of).catch((error: unknown) => {
      // SQS reports a queue that it does not let the caller see as one that does not exist.
      const rights = `It takes sqs:GetQueueUrl and sqs:GetQueueAttributes on ${of}.`;
      problems.push(`${describeProblem(what, error)} ${rights}`);
      return undefined;
    });
  const attributes = await read(`The queue of subscriber ${queue}`, arn);
  const deadLetterArn = deadLetterArnOf(attributes?.RedrivePolicy);
  const letters = deadLetterArn && (await read(`The dead letters of subscriber ${queue}`, deadLetterArn));
  return {
    queue,
    waiting: attributes ? sumOfMessages(attributes) : null,
    deadLetters: letters ? sumOfMessages(letters) : null,
    deadLetterArn: deadLetterArn ?? null,
  };
}

async function readAttributes(client: SQSClient, arn: string): Promise<QueueAttributes> {
  return readQueueCounts(client, await urlOf(client, arn), ['RedrivePolicy']);
}

async function urlOf(client: SQSClient, arn: string): Promise<string> {
  const { GetQueueUrlCommand } = await import('@aws-sdk/client-sqs');
  const { QueueUrl } = await client.send(
    new GetQueueUrlCommand({ QueueName: nameOfArn(arn), QueueOwnerAWSAccountId: accountOf(arn) }),
  );
  if (QueueUrl === undefined) throw new Error(`The queue ${nameOfArn(arn)} has no URL.`);
  return QueueUrl;
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
