// A stack with the feed, alarms by e-mail, and outputs for commands and operators.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { RELAY_NAMES } from '../shared/deployment/destinations.ts';
import type { TableRole } from '../shared/deployment/tables.ts';
import { createAlarmMail } from './alarm-mail.ts';
import type { ReturnsChangeFeedProps } from './feed-props.ts';
import { ReturnsChangeFeed } from './returns-change-feed.ts';
import type { SourceProps } from './source-props.ts';
import type { FeedTables } from './storage.ts';
import { titleCase } from './title-case.ts';

export interface StackSource extends Omit<SourceProps, 'token'> {
  /** Name of the secret that contains only the token. */
  readonly tokenSecret: string;
}

/** The names of existing tables, of `ledger` the ARN of its stream; with `addSources` also the ARN of the tokens' key. */
export type KeptTables = Readonly<Record<TableRole, string>> & { readonly tokenKey?: string };

export interface ReturnsFeedStackProps
  extends Omit<ReturnsChangeFeedProps, 'sources' | 'tables' | 'alarmAction'> {
  /** Commands get this name as `--stack`. */
  readonly stackName: string;
  readonly description: string;
  readonly sources: readonly StackSource[];
  /**
   * The tables that outlived a stack, as its output `Tables` named them: numbers and ids continue.
   * @default new tables, and a new generation of each source
   */
  readonly tables?: KeptTables;
  /**
   * The e-mail address for alarms. AWS first sends a mail with a link to confirm it.
   * @default none: alarms show only in CloudWatch
   */
  readonly alarmEmail?: string | undefined;
}

export class ReturnsFeedStack extends Stack {
  readonly feed: ReturnsChangeFeed;

  constructor(
    scope: Construct,
    { stackName, description, alarmEmail, sources, tables, ...props }: ReturnsFeedStackProps,
  ) {
    super(scope, stackName, { stackName, description });
    const alarmAction = alarmEmail === undefined ? undefined : createAlarmMail(this, 'Alarms', alarmEmail);
    this.feed = new ReturnsChangeFeed(this, 'Feed', {
      ...props,
      ...(alarmAction && { alarmAction }),
      ...(tables && { tables: this.#importTables(tables, props) }),
      ...(tables?.tokenKey &&
        props.addSources && { addSources: Key.fromKeyArn(this, 'KeptTokenKey', tables.tokenKey) }),
      sources: sources.map((source) => this.#withToken(source)),
    });
    this.#nameParts(this.feed);
    this.#nameFunctions(this.feed);
  }

  /** Commands find these outputs by their ids (local/place/find-deployment.ts), and the runbook refers to them. */
  #nameParts(feed: ReturnsChangeFeed): void {
    this.#output('TopicArn', feed.topic.topicArn, 'Ordered events, for up to 100 subscriptions');
    this.#output('BusName', feed.bus.eventBusName, 'All events, unordered, for any number of rules');
    this.#output('FeedName', feed.feedName, 'Begins the names of parameters and tokens');
    if (feed.tokenKey !== undefined)
      this.#output('TokenKey', feed.tokenKey.keyArn, 'Encrypts the tokens of added sources');
    this.#output('WebhooksPath', feed.webhooksPath, "Path of the webhooks' parameters");
    this.#output('PollerRole', feed.pollerRole.roleName, 'Role that reads tokens');
    this.#output('PollQueueUrl', feed.pollQueue.queueUrl, 'Queue of ticks of single sources');
    this.#output('QuickQueueUrl', feed.quickQueue.queueUrl, 'Queue of quick polls');
    this.#output(
      'DeadLettersUrl',
      feed.deadLetters.queueUrl,
      'Messages that the feed itself could not handle',
    );
    for (const [role, table] of Object.entries(feed.tables))
      this.#output(`${titleCase(role)}Table`, table.tableName, `Table of ${role}`);
    this.#output(
      'Tables',
      this.#keptTables(feed),
      'For `tables` of a stack that continues with these tables',
    );
    if (feed.pull !== undefined) {
      this.#output('PullUrl', feed.pull.url, 'URL of the pull feed');
      this.#output('PullLog', feed.pull.function.logGroup.logGroupName, 'Log of failed requests');
    }
    if (feed.dashboard !== undefined)
      this.#output('Dashboard', feed.dashboard.dashboardName, 'Dashboard of all metrics in CloudWatch');
  }

  #nameFunctions(feed: ReturnsChangeFeed): void {
    const { poller, pollerLog, dispatcher, dispatcherLog, relays, sweeps } = feed;
    this.#output(
      'DispatcherFunction',
      dispatcher.functionName,
      'Sends the sources that are due to the poller',
    );
    this.#output('DispatcherLog', dispatcherLog.logGroupName, 'Log of late sources and invalid entries');
    this.#output('PollerFunction', poller.functionName, 'Reads the sources');
    this.#output('PollerLog', pollerLog.logGroupName, 'Log with a line for each tick, or twenty quick polls');
    for (const destination of RELAY_NAMES) {
      const [relay, sweep] = [relays[destination], sweeps[destination]];
      if (relay === undefined || sweep === undefined) continue;
      const title = titleCase(destination);
      this.#output(
        `RelayTo${title}Function`,
        relay.function.functionName,
        `Sends events to the destination ${destination}`,
      );
      this.#output(
        `RelayTo${title}Log`,
        relay.logGroup.logGroupName,
        `Log of the relay to the destination ${destination}`,
      );
      this.#output(`SweepTo${title}Function`, sweep.function.functionName, 'Sends missed events, daily');
      this.#output(`SweepTo${title}Log`, sweep.logGroup.logGroupName, 'Log with a line for each sweep');
    }
  }

  #keptTables({ tables: { snapshots, ledger, marks, sources }, tokenKey }: ReturnsChangeFeed): string {
    return this.toJsonString({
      snapshots: snapshots.tableName,
      ledger: ledger.tableStreamArn,
      marks: marks.tableName,
      sources: sources.tableName,
      ...(tokenKey && { tokenKey: tokenKey.keyArn }),
    } satisfies Record<TableRole, string | undefined>);
  }

  #importTables(
    { ledger: tableStreamArn, ...names }: KeptTables,
    { encryptionKey }: Pick<ReturnsChangeFeedProps, 'encryptionKey'>,
  ): FeedTables {
    const [tableArn, stream] = tableStreamArn.split('/stream/');
    if (tableArn === undefined || stream === undefined)
      throw new Error(
        `tables.ledger must be the ARN of the ledger's stream, which ends with /stream/ and a time: ${tableStreamArn}`,
      );
    const key = encryptionKey && { encryptionKey };
    const named = (id: string, tableName: string) =>
      Table.fromTableAttributes(this, id, { tableName, ...key });
    return {
      snapshots: named('Snapshots', names.snapshots),
      ledger: Table.fromTableAttributes(this, 'Ledger', { tableArn, tableStreamArn, ...key }),
      marks: named('Marks', names.marks),
      sources: named('Sources', names.sources),
    };
  }

  #withToken({ tokenSecret, ...source }: StackSource) {
    const token = secretsmanager.Secret.fromSecretNameV2(this, `Token-${source.name}`, tokenSecret);
    return { ...source, token };
  }

  #output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}
