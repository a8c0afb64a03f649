// The sample warehouse, an example of a subscriber: a function, its table of goods, and a workflow for each parcel.
// docs/warehouse.md says how to adapt it.

import { Duration, Names, RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ChangeType } from '../shared/contract/event-filter.ts';
import { BUS_SOURCE } from '../shared/contract/event-pattern.ts';
import type { DestinationName } from '../shared/deployment/destinations.ts';
import { WAREHOUSE_TABLE } from '../shared/deployment/sample-warehouse.ts';
import { acknowledge } from './acknowledge.ts';
import { allow, allowTable } from './allow.ts';
import { createThresholdAlarm } from './create-alarm.ts';
import { createFunction, type FeedFunction } from './create-function.ts';
import { createDeadLetterQueue } from './create-queue.ts';
import { deadLetterDestination } from './dead-letter-destination.ts';
import { countOf } from './feed-metrics.ts';
import { ParcelWorkflow } from './parcel-workflow.ts';
import type { ReturnsChangeFeed } from './returns-change-feed.ts';

export interface SampleWarehouseProps {
  readonly feed: ReturnsChangeFeed;
  /**
   * Subscribes to the ordered topic (`ordered`), or adds a rule on the bus (`bus`).
   * @default 'ordered'
   */
  readonly subscribeTo?: DestinationName;
  /**
   * Maximum time from the parcel's delivery until a line item is done. Later it is escalated.
   * @default Duration.days(14)
   */
  readonly timeLimit?: Duration;
  /** @default RetentionDays.ONE_MONTH */
  readonly logRetention?: logs.RetentionDays;
  /**
   * The removal policy of the table. RETAIN also protects it from deletion.
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** The event types that the function has handlers for. */
const HANDLED_TYPES: readonly ChangeType[] = [
  'shipment.created',
  'shipment.status_changed',
  'return_line_item.created',
  'return_line_item.status_changed',
  'return_line_item.updated',
  'return_line_item.removed',
  'return_group.removed',
];

export class SampleWarehouse extends Construct {
  readonly table: dynamodb.ITable;
  readonly subscriber: FeedFunction;
  readonly workflow: ParcelWorkflow;

  constructor(scope: Construct, id: string, props: SampleWarehouseProps) {
    super(scope, id);
    const { feed, subscribeTo = 'ordered', timeLimit = Duration.days(14) } = props;
    const { logRetention = logs.RetentionDays.ONE_MONTH, removalPolicy = RemovalPolicy.RETAIN } = props;
    this.table = this.#createTable(removalPolicy);
    this.workflow = new ParcelWorkflow(this, 'Parcel', {
      table: this.table,
      timeLimit,
      logs: this.#createWorkflowLogs(logRetention),
    });
    this.subscriber = this.#createSubscriber(subscribeTo, logRetention);
    if (subscribeTo === 'ordered')
      feed.addOrderedSubscriber(this.subscriber.function, { filter: { types: HANDLED_TYPES } });
    else this.#subscribeToBus(feed.bus);
    createThresholdAlarm(this, 'WorkflowFails', {
      ...{ metric: this.workflow.stateMachine.metricFailed(), threshold: 1, evaluationPeriods: 1 },
      alarmDescription: "The warehouse gets no decision about a parcel's goods: its workflow failed.",
    });
  }

  #createTable(removalPolicy: RemovalPolicy): dynamodb.ITable {
    const { partitionKey, sortKey, timeToLive } = WAREHOUSE_TABLE;
    return new dynamodb.Table(this, 'Goods', {
      partitionKey: { name: partitionKey.name, type: dynamodb.AttributeType.STRING },
      sortKey: { name: sortKey.name, type: dynamodb.AttributeType.STRING },
      timeToLiveAttribute: timeToLive,
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: dynamodb.TableEncryption.DEFAULT,
      removalPolicy,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    }) as dynamodb.ITable;
  }

  /**
   * Without this prefix each log that Step Functions writes to takes room in the account's resource policy for logs, which
   * has at most 5,120 characters.
   * https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
   */
  #createWorkflowLogs(retention: logs.RetentionDays): logs.LogGroup {
    const name = Names.uniqueResourceName(this, { maxLength: 60, separator: '-' });
    return new logs.LogGroup(this, 'WorkflowLogs', {
      logGroupName: `/aws/vendedlogs/states/${name}`,
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  #createSubscriber(subscribeTo: DestinationName, logRetention: logs.RetentionDays): FeedFunction {
    const { stateMachine } = this.workflow;
    const serviceName = Names.uniqueResourceName(this, { maxLength: 60, separator: '-' });
    const subscriber = createFunction(
      this,
      'Subscriber',
      { serviceName, logRetention, encryptionKey: undefined },
      {
        code: 'sample-warehouse',
        exportName: subscribeTo === 'ordered' ? 'handler' : 'onBus',
        description: 'Starts a workflow for each delivered parcel, and continues waiting ones',
        environment: { TABLE_NAME: this.table.tableName, STATE_MACHINE_ARN: stateMachine.stateMachineArn },
        timeout: Duration.seconds(30),
        memorySizeMiB: 256,
      },
    );
    allowTable(subscriber.role, this.table, ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem']);
    allow(subscriber.role, ['states:SendTaskSuccess', 'states:StartExecution'], stateMachine.stateMachineArn);
    return subscriber;
  }

  #subscribeToBus(bus: events.EventBus): void {
    const deadLetters = createDeadLetterQueue(this, 'DeadLetters', { encryptionKey: undefined });
    acknowledge(deadLetters, 'SQS3', 'It is a dead-letter queue itself, of a rule and its function.');
    const { function: fn } = this.subscriber;
    fn.configureAsyncInvoke({ retryAttempts: 2, onFailure: deadLetterDestination(deadLetters) });
    new events.Rule(this, 'Changes', {
      eventBus: bus as events.IEventBus,
      description: 'Events that the sample warehouse handles',
      eventPattern: { source: events.Match.prefix(`${BUS_SOURCE}.`), detailType: [...HANDLED_TYPES] },
      targets: [new targets.LambdaFunction(fn, { deadLetterQueue: deadLetters })],
    });
    createThresholdAlarm(this, 'EventsLost', {
      ...{ metric: countOf(deadLetters), threshold: 1, evaluationPeriods: 1 },
      alarmDescription:
        "The warehouse may get no decision about a parcel's goods: events could not be delivered to it, or it failed on each try.",
    });
  }
}
