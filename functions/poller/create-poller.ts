// The poller of a deployment: it receives ticks, polls sources and sends reports.
import type { SQSEvent } from 'aws-lambda';
import { pollSource } from '../../shared/poll-source.ts';
import { reportUnconfigured } from '../../shared/reporting/report-unconfigured.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { createSourceSession } from '../../shared/source/source-session.ts';
import { createDynamoDbActivities } from '../adapters/dynamodb-activities.ts';
import type { TableAccess } from '../adapters/dynamodb-client.ts';
import { createDynamoDbLedger } from '../adapters/dynamodb-ledger.ts';
import { createDynamoDbSnapshotStore } from '../adapters/dynamodb-snapshot-store.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { hashToken } from '../adapters/token-hash.ts';
import { createActivityNotes } from './note-activity.ts';
import {
  type ConfiguredSource,
  clientsOf,
  createSourceSessions,
  type SourceAccess,
} from './source-sessions.ts';
import { laterTicks, parseTick, type TickMessage } from './tick-message.ts';

export interface PollerOptions extends SourceAccess, TableAccess<'snapshots' | 'ledger' | 'sources'> {
  /**
   * The options of `returns-feed` that name this place, such as ` --stack ReturnsFeed`; undefined without stored state.
   */
  readonly place: string | undefined;
  /** Identifies this process among all that may poll the same sources. */
  readonly owner: string;
  /** Sends the later ticks of a minute to the poll queue, each with its delay. */
  readonly enqueue: (
    ticks: readonly { readonly body: string; readonly delaySeconds: number }[],
  ) => Promise<void>;
  readonly onReport: (report: TickReport) => void;
  readonly onProgress?: ((report: TickReport) => void) | undefined;
}

/** Polls the sources of the received ticks; `durationMs` bounds the total time. */
export type Poller = (event: SQSEvent, durationMs: number) => Promise<void>;

export function createPoller(options: PollerOptions): Poller {
  const { clock, log, owner, place, onProgress, signal } = options;
  const { write, ...noted } = createActivityNotes({
    ...{ clock, log },
    activities: createDynamoDbActivities(options),
    store: createDynamoDbSnapshotStore(options),
    ledger: createDynamoDbLedger(options),
  });
  const stores = { ...noted, states: createDynamoDbSourceStates(options) };
  const sessionOf = createSourceSessions((source) =>
    createSourceSession({
      ...stores,
      settings: source.settings,
      secret: source.secret,
      ...{ clock, log, owner, place, onProgress, signal },
      random: Math.random,
      client: clientsOf(source, options.transport),
      hashToken,
    }),
  );

  /** The tick's source. If its settings can't be read, the source's state reports that and the tick fails. */
  async function configurationFor(tick: TickMessage): Promise<ConfiguredSource | undefined> {
    try {
      const source = await options.findSource(tick.source);
      if (source !== undefined) return source;
    } catch (error) {
      await reportUnconfigured(tick, stores);
      throw error;
    }
    // A removed source leaves delayed ticks behind; these must not fail. A source whose settings alone are gone is
    // still due: its state and its freshness alarm report that.
    await reportUnconfigured(tick, stores);
    log.warn('The tick is dropped: there is no such source.', { source: tick.source });
    return undefined;
  }

  return async function poll(event, durationMs) {
    const startedAt = clock.elapsed();
    for (const record of event.Records) {
      const tick = parseTick(record.body);
      const source = await configurationFor(tick);
      if (source === undefined) continue;
      if (source.isPaused) {
        log.debug('The tick is dropped: the source is paused.', { source: tick.source });
        continue;
      }
      const session = sessionOf(source);
      // A tick asks for a poll, however late the one before began.
      session.fresh.dueAt = Math.min(session.fresh.dueAt, clock.now());
      const left = durationMs - (clock.elapsed() - startedAt) / 1_000;
      const report = await pollSource({ slot: tick.slot, durationMs: left }, session).finally(() =>
        write(tick.source),
      );
      // A repeated tick enqueues nothing, so doubled ticks never multiply.
      if (tick.opensMinute && report.outcome !== 'late')
        await options.enqueue(laterTicksOf(tick, session.settings.intervalMs));
      options.onReport(report);
    }
  };
}

function laterTicksOf({ source, slot }: TickMessage, intervalMs: number) {
  return laterTicks(intervalMs).map((delaySeconds) => ({
    body: JSON.stringify({ source, slot: slot + delaySeconds * 1_000 }),
    delaySeconds,
  }));
}
