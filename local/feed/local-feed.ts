// Runs the whole feed on one machine: the poller and the relays as they run in Lambda, on engines with the APIs of AWS.
// Ticks go through the poll queue, events through the ordered topic and the FIFO queue that is subscribed to it. What
// the ledger's stream does in AWS, the client that writes the ledger does here (decision 27).
import type { SQSEvent } from 'aws-lambda';
import { createDynamoDbLedger } from '../../functions/adapters/dynamodb-ledger.ts';
import { createDynamoDbMarks } from '../../functions/adapters/dynamodb-marks.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import type { OpenDestination } from '../../functions/adapters/open-destination.ts';
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { type FeedEvent, feedEvent } from '../../shared/contract/event.ts';
import { withheldFrom } from '../../shared/deployment/destinations.ts';
import { TABLES } from '../../shared/deployment/tables.ts';
import type { TickReport } from '../../shared/lanes/tick-report.ts';
import type { Clock } from '../../shared/ports.ts';
import { parseGroupKey } from '../../shared/recording/group-key.ts';
import { createPresentGeneration } from '../../shared/source/present-generation.ts';
import type { EventSourceMapping } from '../../test/engines/event-source-mapping.ts';
import { pollQueue } from '../../test/engines/poll-queue.ts';
import { createTables } from '../../test/engines/tables.ts';
import { OutputError } from '../cli/write-whole.ts';
import { isBusNamed } from '../engines/engines.ts';
import { onPut } from '../engines/table-writes.ts';
import { type Forwarding, type ForwardingOptions, startForwarding } from '../forwarding/forwarding.ts';
import { checkSource } from './check-source.ts';
import { createFeedFailure } from './feed-failure.ts';
import { withoutFullDisk } from './full-disk.ts';
import { createHandedOver, type HandedOver } from './handed-over.ts';
import { type LocalPollerOptions, startLocalPoller } from './local-poller.ts';
import { type LocalRelay, startLocalRelay } from './local-relay.ts';
import { type LocalServices, openLocalServices } from './local-services.ts';
import { LOCAL_TABLES } from './local-tables.ts';
import { createLocalTopic } from './local-topic.ts';

const BUS_NAME = 'returns-feed';
/** How long the end waits for a call of the bus. */
const LAST_CALL_MS = 2_000;

export interface LocalFeedOptions extends Omit<LocalPollerOptions, 'clock' | 'onError' | 'signal'> {
  /** Whether the source may have another address than in its state. @default false */
  readonly isMoved?: boolean | undefined;
  /** Called with each event in the order of the FIFO queue. The event counts as handed over once this resolves. */
  readonly onEvent: (event: FeedEvent) => Promise<void>;
  /** The URLs that get each event as well. */
  readonly forwarding?: ForwardingOptions | undefined;
}

export interface LocalFeed {
  /** Whether the source has no state yet. */
  readonly isNew: boolean;
  /** Sends a tick through the poll queue. Resolves when the poller has finished it. */
  tick(): Promise<TickReport>;
  /** Rejects if the feed can't go on, also between two ticks. */
  readonly failed: Promise<never>;
  /** Ends a running tick as soon as the groups it has read are saved. */
  stopPolling(): void;
  /**
   * Resolves once all saved events have come out of the FIFO queue, and were posted to the URLs as far as they accept
   * them.
   */
  handOver(): Promise<void>;
  /** Ends all engines. */
  close(): Promise<void>;
}

/** The common needs of the parts that publish. */
interface Context {
  readonly services: LocalServices;
  readonly options: LocalFeedOptions;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Woken by each event that is put into the ledger. */
  readonly relays: LocalRelay[];
  /** All that was started, to be stopped at the end. */
  readonly started: Pick<EventSourceMapping, 'stop'>[];
}

/**
 * Starts the engines and the feed; nothing is polled before the first tick.
 *
 * @throws UsageError if the source's state was read from another address
 */
export async function startLocalFeed(given: LocalFeedOptions): Promise<LocalFeed> {
  const { dataDir, settings, isMoved = false } = given;
  const failure = createFeedFailure(dataDir);
  const options = { ...given, log: withoutFullDisk(given.log, failure.fail) };
  const services = await openLocalServices(dataDir, failure.fail);
  const stopping = new AbortController();
  const started: Context['started'] = [];
  const clock = createSystemClock();
  const onError = (error: unknown) => {
    if (error instanceof OutputError) return failure.fail(error);
    if (!stopping.signal.aborted)
      options.log.error('A part of the feed failed; it will be tried again.', { error: asError(error) });
  };

  async function close(): Promise<void> {
    stopping.abort();
    await Promise.all(started.map((each) => each.stop()));
    await services.close();
  }

  try {
    const relays: LocalRelay[] = [];
    wakeByWrites(services, relays);
    await createTables(services.dynamoDb, LOCAL_TABLES);
    if (dataDir !== undefined)
      await checkSource(services.dynamoDb, { settings, isMoved, dataDir }, options.log);
    const { signal } = stopping;
    const { ticks, isNew, ...poller } = await startLocalPoller(services, {
      ...options,
      clock,
      onError,
      signal,
    });
    started.push(poller);
    const handOver = await startPublishing({ services, options, clock, onError, started, relays });
    const tick = () => Promise.race([ticks.send(), failure.failed]).catch(failure.explain);
    return { isNew, tick, failed: failure.failed, stopPolling: () => stopping.abort(), handOver, close };
  } catch (error) {
    await close();
    return failure.explain(error);
  }
}

/** Starts the relays and the consumer of the ordered events. @returns the feed's `handOver` */
async function startPublishing(context: Context): Promise<LocalFeed['handOver']> {
  const { services, options, clock, onError, started, relays } = context;
  const { dynamoDb, sns, sqs } = services;
  const topic = await createLocalTopic(sns, sqs);
  const queueUrl = await topic.subscribeQueue('events');
  const access = { client: dynamoDb, tables: LOCAL_TABLES, clock };
  const marks = createDynamoDbMarks(access);
  const handedOver = createHandedOver(marks, { isKept: options.dataDir !== undefined, clock, onError });
  const ports = {
    presentGeneration: createPresentGeneration(createDynamoDbSourceStates(access)),
    ledger: createDynamoDbLedger(access),
    clock,
    // What the relays do is shown by the events.
    log: { ...options.log, info: options.log.debug },
    random: Math.random,
  };
  const ordered = startLocalRelay({
    ...ports,
    marks: handedOver.marks,
    destination: createSnsDestination({ client: sns, topicArn: topic.arn }),
    // As in AWS: of the feed's own events the topic carries only `feed.source_read`. The others go to the bus.
    withholds: withheldFrom('ordered'),
  });
  const bus = await openBus();
  const busRelay = bus && startLocalRelay({ ...ports, marks, destination: bus });
  relays.push(ordered, ...(busRelay ? [busRelay] : []));
  const stopBus = () => endBus(busRelay, bus, clock);
  const forwarding = await startForwarding(options.forwarding, { ...ports, ...access, marks });
  const consumer = startConsumer(context, queueUrl, handedOver, forwarding);
  const stopConsumer = () => consumer.stop().then(handedOver.stored);
  started.push(ordered, { stop: stopBus }, { stop: stopConsumer }, forwarding);
  if (options.dataDir !== undefined) {
    // A bus that hangs must not delay the first poll. The topic's sweep must end before events are handed over.
    busRelay?.sweep().catch(onError);
    await ordered.sweep();
    await forwarding.catchUp();
  }
  return async () => {
    await stopBus();
    await ordered.idle();
    // The engine has put a message into the subscribed queues before it confirms it.
    await consumer.idle();
    await handedOver.stored();
    await forwarding.finish();
  };
}

/** Nobody could subscribe to a bus of this process: there is one only where the environment names it. */
async function openBus(): Promise<OpenDestination | undefined> {
  if (!isBusNamed(process.env)) return undefined;
  const { openDestination } = await import('../../functions/adapters/open-destination.ts');
  return openDestination('bus', BUS_NAME);
}

/**
 * Nothing here waits for events of the bus, but a call under way may end, so that the next start need not repeat it.
 */
async function endBus(
  relay: LocalRelay | undefined,
  bus: OpenDestination | undefined,
  clock: Clock,
): Promise<void> {
  const isOver = new AbortController();
  await Promise.race([relay?.stop(), clock.sleep(LAST_CALL_MS, isOver.signal)]);
  isOver.abort();
  bus?.close();
  await relay?.stop();
}

/** From now on each event that this process puts into the ledger wakes the relays, also those that are added later. */
function wakeByWrites({ dynamoDb }: LocalServices, relays: readonly LocalRelay[]): void {
  onPut(dynamoDb, LOCAL_TABLES.ledger, (items) => {
    const groups = items.flatMap(
      (item) => parseGroupKey(item[TABLES.ledger.partitionKey.name]?.S ?? '') ?? [],
    );
    for (const relay of relays) relay.wake(groups);
  });
}

function startConsumer(
  { services, options, clock, onError }: Context,
  queueUrl: string,
  handedOver: HandedOver,
  forwarding: Forwarding,
): EventSourceMapping {
  return pollQueue({
    client: services.sqs,
    queueUrl,
    clock,
    onError,
    handler: async ({ Records }: SQSEvent) => {
      const events = Records.map(({ body }) => feedEvent.parse(JSON.parse(body)));
      for (const event of events) {
        forwarding.forward(event);
        await options.onEvent(event);
      }
      handedOver.note(events.map(({ id }) => id));
    },
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
