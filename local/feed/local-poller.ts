// The poller as it runs in Lambda, behind a poll queue that gets a tick at a time.
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createPoller } from '../../functions/poller/create-poller.ts';
import type { TickReport } from '../../shared/lanes/tick-report.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import { pollQueue } from '../../test/engines/poll-queue.ts';
import { tokenInEnvironment } from '../cli/service-options.ts';
import { shellWord } from '../cli/shell-word.ts';
import { createLocalQueue } from './create-local-queue.ts';
import type { LocalServices } from './local-services.ts';
import { LOCAL_TABLES } from './local-tables.ts';
import { createLocalTicks, type LocalTicks } from './local-ticks.ts';

/** Time limit of a tick: about as in Lambda, and no longer than a user waits for a clean end. */
const TICK_MS = 50_000;
/** Until anything was read, so that a wrong address or token is reported soon. */
const FIRST_TICK_MS = 5_000;
const VISIBILITY_SECONDS = 120;

export interface LocalPollerOptions {
  readonly settings: SourceSettings;
  readonly token: string;
  /** The directory of the state; undefined if none is kept. */
  readonly dataDir: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly onProgress: (report: TickReport) => void;
  readonly onError: (error: unknown) => void;
  /** Ends a running tick as soon as the groups it has read are saved. */
  readonly signal: AbortSignal;
}

export interface LocalPoller {
  /** Whether the source has no state yet. */
  readonly isNew: boolean;
  readonly ticks: LocalTicks;
  /** Resolves when the running tick has ended. */
  stop(): Promise<void>;
}

export async function startLocalPoller(
  { dynamoDb, sqs }: Pick<LocalServices, 'dynamoDb' | 'sqs'>,
  options: LocalPollerOptions,
): Promise<LocalPoller> {
  const { settings, token, dataDir, clock, log, onProgress, onError, signal } = options;
  const queueUrl = await createLocalQueue(sqs, 'polls', { VisibilityTimeout: String(VISIBILITY_SECONDS) });
  const states = createDynamoDbSourceStates({ client: dynamoDb, tables: LOCAL_TABLES, clock });
  const known = await states.load(settings.name);
  const ticks = createLocalTicks({
    source: settings.name,
    lastSlot: known?.lastSlot ?? 0,
    now: Date.now,
    enqueue: (body) => sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body })),
  });
  const transport = createHttpsTransport();
  let isRead = known?.newest !== undefined;
  const poll = createPoller({
    // No other process uses this data, so this one takes over the lease of a killed process: same owner.
    owner: 'local',
    place: dataDir === undefined ? undefined : ` --data ${shellWord(dataDir)}`,
    client: dynamoDb,
    tables: LOCAL_TABLES,
    clock,
    log,
    transport,
    findSource: async () => ({ settings, secret: tokenInEnvironment(token) }),
    enqueue: async () => {},
    onReport(report) {
      isRead ||= report.polls > 0 || report.counts.groups > 0;
      ticks.done(report);
    },
    onProgress,
    signal,
  });
  const mapping = pollQueue({
    client: sqs,
    queueUrl,
    batchSize: 1,
    handler: (event) => poll(event, isRead ? TICK_MS : FIRST_TICK_MS).catch(ticks.failed),
    clock,
    onError,
  });
  return {
    isNew: known === undefined,
    ticks,
    async stop() {
      await mapping.stop();
      transport.close();
    },
  };
}
