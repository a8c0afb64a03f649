// The poller of a deployment: it receives ticks and shards, polls sources and sends reports.
import type { SQSEvent } from 'aws-lambda';
import { shareOfMemory } from '../../shared/comparing/memory.ts';
import { type Note, STAY_MS } from '../../shared/dispatching/known-source.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import { pollQuickly, QUICK_REQUESTS, type QuickTick } from '../../shared/poll-quickly.ts';
import { pollSource } from '../../shared/poll-source.ts';
import type { Ledger, SnapshotStore, SourceStates } from '../../shared/ports.ts';
import { claimsOf } from '../../shared/position/claims.ts';
import { reportUnconfigured } from '../../shared/reporting/report-unconfigured.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { createSourceSession } from '../../shared/source/source-session.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { Activities } from '../adapters/dynamodb-activities.ts';
import type { Progress } from '../adapters/dynamodb-progress.ts';
import type { SendMessages } from '../adapters/message-queue.ts';
import { hashToken } from '../adapters/token-hash.ts';
import { createActivityNotes } from './note-activity.ts';
import { pollShard, type QuickSource, type ShardReport } from './poll-shard.ts';
import {
  type ConfiguredSource,
  clientsOf,
  createSourceSessions,
  type SourceAccess,
} from './source-sessions.ts';
import { laterMessages, parsePollMessage, type TickMessage } from './tick-message.ts';

export interface PollerOptions extends SourceAccess {
  readonly states: SourceStates;
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly activities: Activities;
  readonly progress: Pick<Progress, 'note' | 'noteLong'>;
  /**
   * The options of `returns-feed` that name this place, such as ` --stack ReturnsFeed`; undefined without stored state.
   */
  readonly place: string | undefined;
  /** Identifies this process among all that may poll the same sources. */
  readonly owner: string;
  /** Sends to the long queue. */
  readonly sendLong: SendMessages;
  readonly onReport: (report: TickReport, tick: TickMessage, lateMs: number) => void;
  readonly onShard: (report: ShardReport) => void;
  readonly onProgress?: ((report: TickReport) => void) | undefined;
}

/** Polls the sources of the received messages; `durationMs` bounds the total time. */
export type Poller = (event: SQSEvent, durationMs: number) => Promise<void>;

export function createPoller(options: PollerOptions): Poller {
  const { clock, log, owner, place, onProgress, signal, sendLong, states, progress } = options;
  const { write, ...noted } = createActivityNotes(options);
  const stores = { ...noted, states };
  const sessionOf = createSourceSessions((source, sessions) =>
    createSourceSession({
      ...stores,
      settings: source.settings,
      secret: source.secret,
      ...{ clock, log, owner, place, onProgress, signal },
      quickRequests: QUICK_REQUESTS,
      mostRemembered: () => shareOfMemory(sessions()),
      random: Math.random,
      client: clientsOf(source, options.transport),
      hashToken,
    }),
  );

  /** The tick's source. If its settings can't be read, the source's state reports that and the tick fails. */
  async function configurationFor(tick: TickMessage): Promise<ConfiguredSource | undefined> {
    try {
      const source = await options.findSource(tick.source, tick.version);
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

  async function pollLong(tick: TickMessage, durationMs: number): Promise<void> {
    const { source: name, slot, quietAt, opensMinute } = tick;
    const lateMs = Math.max(0, clock.now() / MILLISECOND - slot);
    const note = (found: Note) => (opensMinute ? progress.noteLong(name, found) : undefined);
    try {
      const source = await configurationFor(tick);
      if (source === undefined) return;
      if (source.isPaused) return log.debug('The tick is dropped: the source is paused.', { source: name });
      const session = sessionOf(source);
      // A tick asks for a poll, however late the one before began.
      session.fresh.dueAt = Math.min(session.fresh.dueAt, clock.now());
      const report = await pollSource({ slot, durationMs, quietAt }, session).finally(() => write(name));
      options.onReport(report, tick, lateMs);
      // A repeated tick enqueues and notes nothing, so doubled ticks never multiply.
      if (report.outcome === 'late') return;
      if (opensMinute) await sendLong(laterMessages(tick, session.settings.intervalMs));
      await note(noteOf(report, slot, clock.now()));
    } catch (error) {
      // The dispatcher waits for a note before it sends the next tick. The error matters more than a note that fails.
      if (error instanceof Error)
        await Promise.resolve(note({ slot, why: error.name, failed: true })).catch(() => {});
      throw error;
    }
  }

  /** @returns undefined for a source that was removed since the shard was sent, or is paused */
  async function pollOne({ source: name, version }: QuickSource, tick: QuickTick) {
    const source = await options.findSource(name, version);
    if (source === undefined || source.isPaused) return undefined;
    return pollQuickly(tick, sessionOf(source)).finally(() => write(name));
  }

  return async function poll(event, durationMs) {
    const startedAt = clock.elapsed();
    for (const { body, attributes } of event.Records) {
      const message = parsePollMessage(body);
      const left = durationMs - (clock.elapsed() - startedAt) / MILLISECOND;
      if ('tick' in message) await pollLong(message.tick, left);
      else
        await pollShard(
          { clock, log, sendLong, progress, pollQuickly: pollOne, onReport: options.onShard },
          message.shard,
          Number(attributes.ApproximateReceiveCount),
          left,
        );
    }
  };
}

function noteOf({ outcome, state, behindMs, failure }: TickReport, slot: number, now: Instant): Note {
  const failed = outcome === 'resting' || failure !== undefined;
  if (state === undefined || behindMs === undefined) return { slot, why: outcome, failed };
  return {
    ...{ slot, failed, setAside: claimsOf(state).setAside },
    held: state.holds.filter(({ phase }) => phase === 'holding').length,
    readAt: Math.floor(now / MILLISECOND) - behindMs,
    ...(failure && { why: failure.code }),
    ...(hasMore(state) && { stayUntil: slot + STAY_MS }),
  };
}

/** Whether the next tick has to go on, so that a quick one would only cost time. */
function hasMore({ baselineAt, lanes, holds, health }: SourceState): boolean {
  const isReading = [lanes.late, lanes.recent, lanes.older].some(({ round }) => round !== undefined);
  return baselineAt === undefined || isReading || holds.length > 0 || health.degradedSince !== undefined;
}
