// Runs the whole feed on one machine: the poller and both relays as they run in Lambda, on engines with the APIs of
// AWS. Ticks go through the poll queue, changes through the ledger's stream, events through the FIFO queue.
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../functions/adapters/dynamodb-ledger.ts';
import { createDynamoDbMarks } from '../../functions/adapters/dynamodb-marks.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { createEventBridgeDestination } from '../../functions/adapters/eventbridge-destination.ts';
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createSqsDestination } from '../../functions/adapters/sqs-destination.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { createPoller } from '../../functions/poller/create-poller.ts';
import { relayRecords } from '../../functions/relay/relay-records.ts';
import { type FeedEvent, feedEvent } from '../../shared/contract/event.ts';
import { withheldFrom } from '../../shared/deployment/destinations.ts';
import type { Destination, Log, Marks } from '../../shared/ports.ts';
import type { RelayPorts } from '../../shared/publishing/lane.ts';
import { createRelay } from '../../shared/publishing/relay.ts';
import { sweepLedger } from '../../shared/publishing/sweep.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';
import { makeDataDirectory } from '../engines/data-directory.ts';
import { lockDataDirectory } from '../engines/data-directory-lock.ts';
import type { EngineError } from '../engines/engine-error.ts';
import { startEngines } from '../engines/engines.ts';
import type { EventSourceMapping } from '../engines/event-source-mapping.ts';
import { pollQueue } from '../engines/poll-queue.ts';
import { pollStream } from '../engines/poll-stream.ts';
import { announceEngine } from '../engines/running-engine.ts';
import { createTables } from '../engines/tables.ts';
import { createHandedOver } from './handed-over.ts';
import { createLocalQueues } from './local-queues.ts';
import { LOCAL_TABLES } from './local-tables.ts';
import { createLocalTicks } from './local-ticks.ts';

const BUS_NAME = 'returns-feed';
/** Time limit of a tick: as in Lambda, and no longer than a user waits for a clean end. */
const TICK_MS = 50_000;
const RELAY_MS = 30_000;
const SWEEP_MS = 600_000;

export interface LocalFeedOptions {
  readonly settings: SourceSettings;
  readonly token: string;
  /** The directory for the state; undefined keeps none. */
  readonly dataDir: string | undefined;
  readonly log: Log;
  /** Called with each event in the order of the FIFO queue. The event counts as handed over once this resolves. */
  readonly onEvent: (event: FeedEvent) => Promise<void>;
  readonly onProgress: (report: TickReport) => void;
}

export interface LocalFeed {
  /** Sends a tick through the poll queue. Resolves when the poller has finished it. */
  tick(): Promise<TickReport>;
  /** Ends a running tick as soon as the groups it has read are saved. */
  stopPolling(): void;
  /** Resolves once all saved events have come out of the FIFO queue. */
  handOver(): Promise<void>;
  /** Ends all engines. */
  close(): Promise<void>;
}

/** Starts the engines and the feed; nothing is polled before the first tick. */
export async function startLocalFeed(options: LocalFeedOptions): Promise<LocalFeed> {
  const { settings, log } = options;
  const { dataDir } = options;
  let endTicks = (error: Error) => log.error(error.message);
  const unlock = await lock(dataDir, (error) => endTicks(error));
  const engines = await startEngines({ environment: process.env, dataDir }).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  // The SDK's clients find the engines by these variables; nothing else in this process uses AWS.
  const restoreEnvironment = setEnvironment(engines.environment);
  const endpoint = engines.environment.AWS_ENDPOINT_URL_DYNAMODB;
  let conceal = async () => {};
  const clock = createSystemClock();
  const client = createDynamoDbClient();
  const sqs = new SQSClient();
  const streams = new DynamoDBStreamsClient();
  const eventBridge = new EventBridgeClient();
  const transport = createHttpsTransport();
  const mappings: EventSourceMapping[] = [];
  const stopping = new AbortController();
  const onError = (error: unknown) => {
    if (!stopping.signal.aborted) log.error('A handler failed; retrying.', { error: asError(error) });
  };

  async function close(): Promise<void> {
    stopping.abort();
    await Promise.all(mappings.map((mapping) => mapping.stop()));
    transport.close();
    for (const each of [client, sqs, streams, eventBridge]) each.destroy();
    await conceal();
    await engines.stop();
    restoreEnvironment();
    await unlock();
  }

  try {
    if (dataDir && endpoint) conceal = await announceEngine(dataDir, endpoint);
    await createTables(client, LOCAL_TABLES);
    const queues = await createLocalQueues(sqs);
    const ledger = createDynamoDbLedger({ client, tables: LOCAL_TABLES, clock });
    const marks = createDynamoDbMarks({ client, tables: LOCAL_TABLES });
    const handedOver = createHandedOver(marks, options.dataDir !== undefined);
    const portsOf = (destination: Destination, itsMarks: Marks): RelayPorts => ({
      ledger,
      marks: itsMarks,
      destination,
      clock,
      log,
      random: Math.random,
    });
    const queuePorts: RelayPorts = {
      ...portsOf(createSqsDestination({ client: sqs, queueUrl: queues.events }), handedOver.marks),
      // As in AWS: the queue carries changes only. The feed's own events go to the bus.
      withholds: withheldFrom('queue'),
    };
    const busPorts = portsOf(
      createEventBridgeDestination({ client: eventBridge, eventBusName: BUS_NAME }),
      marks,
    );
    const [queueRelay, busRelay] = [createRelay(queuePorts), createRelay(busPorts)];
    const states = createDynamoDbSourceStates({ client, tables: LOCAL_TABLES, clock });
    const ticks = createLocalTicks({
      source: settings.name,
      lastSlot: (await states.load(settings.name))?.lastSlot ?? 0,
      now: Date.now,
      enqueue: (body) => sqs.send(new SendMessageCommand({ QueueUrl: queues.polls, MessageBody: body })),
    });
    endTicks = ticks.end;
    const poll = createPoller({
      // No other process uses this data, so this one takes over the lease of a killed process: same owner.
      owner: 'local',
      client,
      tables: LOCAL_TABLES,
      clock,
      log,
      transport,
      findSource: async () => ({
        settings,
        secret: { place: 'the environment', read: async () => options.token },
      }),
      enqueue: async () => {},
      onReport: ticks.done,
      onProgress: options.onProgress,
      signal: stopping.signal,
    });
    const readStream = (relay: typeof queueRelay) =>
      pollStream({
        client: streams,
        tableName: LOCAL_TABLES.ledger,
        handler: (event) => relayRecords(relay, log, event.Records, RELAY_MS),
        clock,
        onError,
        // The sweeps below send the unsent events. The engine keeps all records, so TRIM_HORIZON would read them all.
        startingPosition: 'LATEST',
        filters: [{ eventName: ['INSERT'] }],
      });
    mappings.push(
      pollQueue({
        client: sqs,
        queueUrl: queues.polls,
        batchSize: 1,
        handler: (event) => poll(event, TICK_MS).catch(ticks.failed),
        clock,
        onError,
      }),
    );
    const [queueMapping, busMapping] = [readStream(queueRelay), readStream(busRelay)];
    const consumer = pollQueue({
      client: sqs,
      queueUrl: queues.events,
      clock,
      onError,
      handler: async ({ Records }: SQSEvent) => {
        const events = Records.map(({ body }) => feedEvent.parse(JSON.parse(body)));
        for (const event of events) await options.onEvent(event);
        await handedOver.note(events.map(({ id }) => id));
      },
    });
    mappings.push(queueMapping, busMapping, consumer);
    // Once idle, the mappings have found the end of the stream: they miss no record from now on.
    await Promise.all([queueMapping.idle(), busMapping.idle()]);
    if (options.dataDir !== undefined) {
      await Promise.all([
        sweepLedger(queuePorts, queueRelay, SWEEP_MS),
        sweepLedger(busPorts, busRelay, SWEEP_MS),
      ]);
    }
    return {
      tick: ticks.send,
      stopPolling: () => stopping.abort(),
      async handOver() {
        // Nothing here waits for events of the bus.
        await busMapping.stop();
        await queueMapping.idle();
        await consumer.idle();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns a function that restores the previous values */
function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

async function lock(
  dataDir: string | undefined,
  onLost: (error: EngineError) => void,
): Promise<() => Promise<void>> {
  if (dataDir === undefined) return async () => {};
  await makeDataDirectory(dataDir);
  return lockDataDirectory(dataDir, { onLost });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
