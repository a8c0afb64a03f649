import { Duration, SecretValue, type Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { ReturnsChangeFeed } from 'returns-change-feed/infra';

const DELIVERED = { entity: 'shipment', to: 'DELIVERED' } as const;
const TEXT = `Parcel ${events.EventField.fromPath('$.detail.data.object.tracking_number')} has arrived.`;

/** Posts a message to a channel. The secret `slack/webhook` holds the URL of an incoming webhook. */
export function postToSlack(stack: Stack, feed: ReturnsChangeFeed): void {
  const destination = new events.ApiDestination(stack, 'Slack', {
    endpoint: SecretValue.secretsManager('slack/webhook').unsafeUnwrap(),
    rateLimitPerSecond: 1,
    connection: new events.Connection(stack, 'SlackConnection', {
      // EventBridge demands a header. Slack ignores it: the URL is the credential.
      authorization: events.Authorization.apiKey('x-unused', SecretValue.unsafePlainText('unused')),
    }),
  });
  const target = new targets.ApiDestination(destination as events.IApiDestination, {
    event: events.RuleTargetInput.fromObject({ text: TEXT }),
    deadLetterQueue: new Queue(stack, 'SlackDeadLetters', { retentionPeriod: Duration.days(14) }),
  });
  feed.onChange('ToSlack', { ...DELIVERED, target });
}

/** Sends a mail. AWS first sends one with a link to confirm the address. */
export function sendMail(stack: Stack, feed: ReturnsChangeFeed, address: string): void {
  const topic = new Topic(stack, 'Mail');
  topic.addSubscription(new EmailSubscription(address));
  const message = events.RuleTargetInput.fromText(TEXT);
  feed.onChange('ToMail', { ...DELIVERED, target: new targets.SnsTopic(topic, { message }) });
}

/** Starts an execution whose input is the event. */
export function startWorkflow(feed: ReturnsChangeFeed, machine: IStateMachine): void {
  const input = events.RuleTargetInput.fromEventPath('$.detail');
  feed.onChange('ToWorkflow', { ...DELIVERED, target: new targets.SfnStateMachine(machine, { input }) });
}

/** Runs the function of rows.ts, with each return's events in order. */
export function writeRows(feed: ReturnsChangeFeed, rows: IFunction): void {
  feed.addOrderedSubscriber(rows, { filter: { entities: ['shipment'], to: ['DELIVERED'] } });
}
