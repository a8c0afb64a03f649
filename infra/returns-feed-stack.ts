// The stack of a stage: the feed, alarms by e-mail, and outputs for commands and operators.

import { CfnOutput, Stack } from 'aws-cdk-lib';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { DESTINATION_NAMES } from '../shared/deployment/destinations.ts';
import { createAlarmMail } from './alarm-mail.ts';
import { ReturnsChangeFeed } from './returns-change-feed.ts';
import type { Stage, StageSource } from './stages.ts';
import { titleCase } from './title-case.ts';

export class ReturnsFeedStack extends Stack {
  readonly feed: ReturnsChangeFeed;

  constructor(scope: Construct, stage: Stage) {
    const { stackName, description, alarmEmail, sources, sampleWarehouse: _, ...props } = stage;
    super(scope, stackName, { stackName, description });
    const alarmAction = alarmEmail === undefined ? undefined : createAlarmMail(this, 'Alarms', alarmEmail);
    this.feed = new ReturnsChangeFeed(this, 'Feed', {
      ...props,
      ...(alarmAction && { alarmAction }),
      sources: sources.map((source) => this.#withToken(source)),
    });
    this.#nameParts(this.feed);
    this.#nameFunctions(this.feed);
  }

  /** Commands find these outputs by their ids (local/operating/find-deployment.ts), and the runbook refers to them. */
  #nameParts(feed: ReturnsChangeFeed): void {
    this.#output('TopicArn', feed.topic.topicArn, 'Ordered events, for up to 100 subscriptions');
    this.#output('BusName', feed.bus.eventBusName, 'All events, unordered, for any number of rules');
    this.#output('SourcesPath', feed.sourcesPath, "Path of the sources' parameters");
    this.#output('WebhooksPath', feed.webhooksPath, "Path of the webhooks' parameters");
    this.#output('SchedulesGroup', feed.schedules.scheduleGroupName, "Group of the sources' schedules");
    this.#output('PollerRole', feed.pollerRole.roleName, 'Role that reads tokens');
    this.#output('PollQueueUrl', feed.pollQueue.queueUrl, 'Queue of ticks for the poller');
    this.#output(
      'DeadLettersUrl',
      feed.deadLetters.queueUrl,
      'Messages that the feed itself could not handle',
    );
    for (const [role, table] of Object.entries(feed.tables))
      this.#output(`${titleCase(role)}Table`, table.tableName, `Table of ${role}`);
    if (feed.dashboard !== undefined)
      this.#output('Dashboard', feed.dashboard.dashboardName, 'Dashboard of all metrics in CloudWatch');
  }

  #nameFunctions({ poller, pollerLog, relays, sweeps }: ReturnsChangeFeed): void {
    this.#output('PollerFunction', poller.functionName, 'Reads the sources');
    this.#output('PollerLog', pollerLog.logGroupName, 'Log with a line for each tick');
    for (const destination of DESTINATION_NAMES) {
      const relay = `RelayTo${titleCase(destination)}`;
      this.#output(
        `${relay}Function`,
        relays[destination].function.functionName,
        `Sends events to the destination ${destination}`,
      );
      this.#output(
        `${relay}Log`,
        relays[destination].logGroup.logGroupName,
        `Log of the relay to the destination ${destination}`,
      );
      const sweep = `SweepTo${titleCase(destination)}`;
      this.#output(
        `${sweep}Function`,
        sweeps[destination].function.functionName,
        'Sends missed events, daily',
      );
      this.#output(
        `${sweep}Log`,
        sweeps[destination].logGroup.logGroupName,
        'Log with a line for each sweep',
      );
    }
  }

  #withToken({ tokenSecret, ...source }: StageSource) {
    const token = secretsmanager.Secret.fromSecretNameV2(this, `Token-${source.name}`, tokenSecret);
    return { ...source, token };
  }

  #output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
