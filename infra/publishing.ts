// The publishing side: the ledger's stream invokes a relay for the ordered topic, one for the bus and, with `pull`, one that
// gives events their positions in the pull feed, so that a failing destination does not affect the others. A daily sweep
// for each sends the events that its relay missed. The relays have no access to the service and its tokens.

import { Duration } from 'aws-cdk-lib';
import type * as events from 'aws-cdk-lib/aws-events';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { DestinationName } from '../shared/deployment/destinations.ts';
import { METRICS_NAMESPACE } from '../shared/deployment/metrics.ts';
import { MOST_GROUPS } from '../shared/pulling/assign-positions.ts';
import { acknowledge } from './acknowledge.ts';
import {
  allow,
  allowGenerations,
  allowItems,
  allowPublishing,
  allowTable,
  FEED_GROUPS,
  PULL_ITEMS,
} from './allow.ts';
import { createBus } from './create-bus.ts';
import { createFunction, type FeedFunction, type FunctionDefaults } from './create-function.ts';
import { createTopic } from './create-topic.ts';
import { createDailySweeps, type DailySweeps, SWEEP_TIMEOUT } from './daily-sweeps.ts';
import { deadLetterDestination } from './dead-letter-destination.ts';
import type { Schedules } from './schedules.ts';
import type { FeedTables } from './storage.ts';

const RELAY_TIMEOUT = Duration.minutes(1);

export interface PublishingProps extends FunctionDefaults {
  readonly tables: FeedTables;
  readonly deadLetters: sqs.Queue;
  readonly schedules: Schedules;
  readonly encryptionKey: kms.IKey | undefined;
  readonly archiveRetention: Duration;
  /** Whether there is a pull feed. */
  readonly pull: boolean;
}

/** Of each destination; of the pull feed only if there is one. */
export type PerRelay<Part> = Readonly<Record<DestinationName, Part>> & { readonly pull?: Part };

/** The differences between the destinations. */
interface DestinationOptions {
  readonly name: 'Ordered' | 'Bus' | 'Pull';
  /** For descriptions. */
  readonly title: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly batchSize: number;
  /** Allows it to move its marks, and to publish. */
  readonly allowPublishing: (role: iam.Role) => void;
}

export class Publishing extends Construct {
  /** The FIFO topic: each return group's events in order, for up to 100 subscriptions. */
  readonly topic: sns.Topic;
  readonly bus: events.EventBus;
  /** Events that the bus could not encrypt or decrypt; undefined without a key of your own. */
  readonly busDeadLetters: sqs.Queue | undefined;
  readonly relays: PerRelay<FeedFunction>;
  readonly sweeps: PerRelay<FeedFunction>;
  /** Starts these sweeps and those of webhooks. */
  readonly dailySweeps: DailySweeps;

  constructor(scope: Construct, id: string, props: PublishingProps) {
    super(scope, id);
    const { encryptionKey } = props;
    const { marks } = props.tables;
    const topic = createTopic(this, props);
    this.topic = topic;
    const { bus, deadLetters: busDeadLetters } = createBus(this, props);
    this.bus = bus;
    this.busDeadLetters = busDeadLetters;
    const toTopic: DestinationOptions = {
      ...{ name: 'Ordered', title: 'ordered topic', batchSize: 10 },
      environment: { DESTINATION: 'ordered', TOPIC_ARN: this.topic.topicArn },
      allowPublishing(role) {
        allowTable(role, marks, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
        allowPublishing(role, topic, encryptionKey);
      },
    };
    const toBus: DestinationOptions = {
      ...{ name: 'Bus', title: 'bus', batchSize: 10 },
      environment: { DESTINATION: 'bus', EVENT_BUS_NAME: bus.eventBusName },
      allowPublishing(role) {
        allowTable(role, marks, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
        allow(role, ['events:PutEvents'], bus.eventBusArn);
      },
    };
    const toPull: DestinationOptions = {
      ...{ name: 'Pull', title: 'pull feed', batchSize: MOST_GROUPS },
      environment: { DESTINATION: 'pull' },
      allowPublishing: (role) =>
        allowItems(role, marks, ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], PULL_ITEMS),
    };
    const each = (create: (destination: DestinationOptions) => FeedFunction): PerRelay<FeedFunction> => ({
      ...{ ordered: create(toTopic), bus: create(toBus) },
      ...(props.pull && { pull: create(toPull) }),
    });
    this.relays = each((destination) => this.#createRelay(destination, props));
    this.sweeps = each((destination) => this.#createSweep(destination, props));
    this.dailySweeps = createDailySweeps(props.schedules, props.deadLetters);
    for (const [name, sweep] of Object.entries(this.sweeps))
      this.dailySweeps.add(name, `the destination ${name}`, sweep);
  }

  #createRelay(destination: DestinationOptions, props: PublishingProps): FeedFunction {
    const { tables, deadLetters } = props;
    const relay = createFunction(this, `RelayTo${destination.name}`, props, {
      code: 'relay',
      description: `Sends the ledger's events to the ${destination.title}`,
      environment: environmentOf(destination, tables),
      timeout: RELAY_TIMEOUT,
      memorySizeMiB: 256,
    });
    allowRelay(relay.role, destination, tables);
    // Without a maximum age, retries last for the stream's retention of 24 hours. After a dropped record, its group's
    // events wait for the group's next record, or for the sweep.
    const mapping = new DynamoEventSource(tables.ledger, {
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: destination.batchSize,
      // One batch of a shard at a time. With more, Lambda distributes records by item, that is by event: a group's events
      // would invoke several relays at once, and each relay would send all of them (docs/decisions/0016).
      parallelizationFactor: 1,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      filters: [lambda.FilterCriteria.filter({ eventName: lambda.FilterRule.isEqual('INSERT') })],
      onFailure: deadLetterDestination(deadLetters),
    });
    relay.function.addEventSource(mapping);
    acknowledge(
      relay.role,
      'IAM5[Resource::*]',
      'The event source mapping needs dynamodb:ListStreams, which supports no resources. It lists names of streams.',
    );
    return relay;
  }

  #createSweep(destination: DestinationOptions, props: PublishingProps): FeedFunction {
    const sweep = createFunction(this, `SweepTo${destination.name}`, props, {
      code: 'relay',
      exportName: 'sweep',
      description: `Sends the ledger's events that the ${destination.title} missed`,
      environment: environmentOf(destination, props.tables),
      timeout: SWEEP_TIMEOUT,
      memorySizeMiB: 512,
    });
    allowRelay(sweep.role, destination, props.tables);
    // Only the sweep reads the whole ledger. It also writes to it, to report skipped events: never a return's event.
    allowTable(sweep.role, props.tables.ledger, ['dynamodb:Scan']);
    allowItems(sweep.role, props.tables.ledger, ['dynamodb:GetItem', 'dynamodb:PutItem'], FEED_GROUPS);
    allowGenerations(sweep.role, props.tables);
    return sweep;
  }
}

function environmentOf(
  { environment }: DestinationOptions,
  { ledger, marks, snapshots, sources }: FeedTables,
): Record<string, string> {
  return {
    ...environment,
    LEDGER_TABLE: ledger.tableName,
    MARKS_TABLE: marks.tableName,
    SNAPSHOTS_TABLE: snapshots.tableName,
    SOURCES_TABLE: sources.tableName,
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
  };
}

/** Allows the calls that a relay's adapters (functions/adapters) make. */
function allowRelay(role: iam.Role, { allowPublishing }: DestinationOptions, { ledger }: FeedTables): void {
  allowTable(role, ledger, ['dynamodb:Query']);
  allowPublishing(role);
}
