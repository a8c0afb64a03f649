// The feed as a stack of its own, from a stage: the construct, the mail that alarms send, and what a person looks for
// after deploying.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { ReturnsChangeFeed } from './returns-change-feed.ts';
import type { Stage, StageSource } from './stages.ts';

export class ReturnsFeedStack extends Stack {
  readonly feed: ReturnsChangeFeed;

  constructor(scope: Construct, stage: Stage) {
    const { stackName, description, alarmEmail, sources, sampleWarehouse: _, ...props } = stage;
    super(scope, stackName, { stackName, description });
    const alarmAction = alarmEmail === undefined ? undefined : this.#createMail(alarmEmail);
    this.feed = new ReturnsChangeFeed(this, 'Feed', {
      ...props,
      ...(alarmAction && { alarmAction }),
      sources: sources.map((source) => this.#withToken(source)),
    });
    const { queue, bus, tables, pollerLog, sourcesPath, schedules, pollerRole } = this.feed;
    this.#output('QueueUrl', queue.queueUrl, 'Ordered events, for one consumer');
    this.#output('BusName', bus.eventBusName, 'All events, for any number of rules');
    this.#output('PollerLog', pollerLog.logGroupName, 'Has a line of every tick');
    this.#output('SourcesPath', sourcesPath, 'Below which each source has its parameter');
    this.#output('SchedulesGroup', schedules.scheduleGroupName, 'Group of the schedules of sources');
    this.#output('PollerRole', pollerRole.roleName, 'Role that reads tokens');
    for (const [role, table] of Object.entries(tables))
      this.#output(
        `${role.charAt(0).toUpperCase()}${role.slice(1)}Table`,
        table.tableName,
        `Table of ${role}`,
      );
  }

  #withToken({ tokenSecret, ...source }: StageSource) {
    const token = secretsmanager.Secret.fromSecretNameV2(this, `Token-${source.name}`, tokenSecret);
    return { ...source, token };
  }

  #createMail(address: string): SnsAction {
    const topic = new sns.Topic(this, 'Alarms', { enforceSSL: true });
    // A policy of one's own replaces the default one, which lets the account's alarms publish.
    topic.addToResourcePolicy(
      new iam.PolicyStatement({
        principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    topic.addSubscription(new EmailSubscription(address));
    return new SnsAction(topic);
  }

  #output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
