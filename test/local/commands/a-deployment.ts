// A deployment for commands: its tables, topic and bus on the project's engines, named by the same variables as for its
// functions.
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { toLedgerItem } from '../../../functions/adapters/ledger-item.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { type PullStores, pullStoresOn } from '../../contract/positions-under-test.ts';
import { aState } from '../../contract/sample-states.ts';
import { hastyClock, openTables, type Stores, storesOn, type TestTables } from '../../contract/stores.ts';
import { connectSns, connectSqs, createTopicWithQueue, drain } from '../../contract/topic-clients.ts';
import { type EventBusEngine, startEventBusEngine } from '../../engines/event-bus-engine.ts';
import { type SqsEngine, startSqsEngine } from '../../engines/sqs-engine.ts';
import { anEvent } from '../../shared/publishing/an-event.ts';
import { type Ended, runFeed } from '../cli/run-feed.ts';

export interface TestDeployment
  extends Omit<Stores, 'close'>,
    Pick<PullStores, 'readers' | 'positions' | 'relay'> {
  /** Appends events of a group to the ledger. */
  write(key: GroupKey, ...sequences: readonly number[]): Promise<void>;
  /** Appends one event unchanged. */
  put(key: GroupKey, event: FeedEvent): Promise<void>;
  /** Receives and deletes all messages of a queue that is subscribed to the topic. */
  drain(): ReturnType<typeof drain>;
  /** The events on the bus. */
  readonly published: FeedEvent[];
  /** The environment variables that name its tables, topic and bus. */
  readonly environment: Readonly<Record<string, string>>;
  run(...args: readonly string[]): Promise<Ended>;
  runWith(environment: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended>;
  close(): Promise<void>;
}

/** Opens a deployment with a source `acme`, of the same generation as {@link anEvent}. */
export async function openDeployment(): Promise<TestDeployment> {
  const [tables, sqs, bus] = await Promise.all([openTables(), startSqsEngine(), startEventBusEngine()]);
  const clients = [connectSns(sqs.endpoint), connectSqs(sqs.endpoint)] as const;
  const { topicArn, queueUrl } = await createTopicWithQueue(...clients);
  const stores = storesOn(tables.client, tables.tables);
  const mintedIn = await stores.states.identity();
  await stores.states.save(aState('acme', 1, { mintedIn, earlierGenerations: [] }), 0);
  const published: FeedEvent[] = [];
  bus.bus.subscribe({ 'detail-type': [{ exists: true }] } as never, async ({ detail }) => {
    published.push(detail as FeedEvent);
  });
  const put = async (key: GroupKey, event: FeedEvent) => {
    const Item = toLedgerItem(key, event);
    await tables.client.send(new PutItemCommand({ TableName: tables.tables.ledger, Item }));
  };
  const environment = environmentOf(tables, sqs, bus, topicArn);
  return {
    ...stores,
    ...pullStoresOn(tables.client, tables.tables, hastyClock),
    environment,
    put,
    published,
    async write(key, ...sequences) {
      for (const sequence of sequences) await put(key, anEvent(key, sequence));
    },
    drain: () => drain(clients[1], queueUrl),
    run: (...args) => runFeed(args, { environment }),
    runWith: (others, ...args) => runFeed(args, { environment: others }),
    async close() {
      for (const client of clients) client.destroy();
      await Promise.all([tables.close(), sqs.stop(), bus.stop()]);
    },
  };
}

function environmentOf(
  { endpoint, tables }: TestTables,
  sqs: SqsEngine,
  bus: EventBusEngine,
  topicArn: string,
) {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SNS: sqs.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    SOURCES_TABLE: tables.sources,
    SNAPSHOTS_TABLE: tables.snapshots,
    LEDGER_TABLE: tables.ledger,
    MARKS_TABLE: tables.marks,
    TOPIC_ARN: topicArn,
    EVENT_BUS_NAME: 'events',
  };
}
