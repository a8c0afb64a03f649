// Polls the sources of a shard, all at once, so that a frozen one delays none. Nothing is retried: what a quick tick can't
// do, and what fails, goes on in the long queue, one source at a time.
import { type Note, STAY_MS } from '../../shared/dispatching/known-source.ts';
import { MINUTE_MS } from '../../shared/dispatching/plan-minute.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { QuickReport, QuickTick } from '../../shared/poll-quickly.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import type { Progress } from '../adapters/dynamodb-progress.ts';
import type { SendMessages } from '../adapters/message-queue.ts';
import { longMessage, type ShardMessage } from './tick-message.ts';

/** A shard ends before the next minute is dispatched. */
const QUICK_MS = 10_000;

export interface ShardOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined if the source does not exist, or is paused. */
  readonly pollQuickly: (source: QuickSource, tick: QuickTick) => Promise<QuickReport | undefined>;
  readonly sendLong: SendMessages;
  readonly progress: Pick<Progress, 'note'>;
  readonly onReport: (report: ShardReport) => void;
}

export type QuickSource = ShardMessage['sources'][number];

export interface ShardReport {
  /** From when it was due until its polls began. */
  readonly lateMs: number;
  readonly ticks: readonly { readonly to: QuickSource; readonly report: QuickReport }[];
}

/** @param tries how often the message was received */
export async function pollShard(
  { clock, log, pollQuickly, sendLong, progress, onReport }: ShardOptions,
  shard: ShardMessage,
  tries: number,
  durationMs: number,
): Promise<void> {
  const { slot, sources } = shard;
  const lateMs = Math.max(0, nowMs(clock) - slot);
  // Otherwise one source that ends its process would stop its neighbours for good.
  if (tries > 1)
    return await sendOn(
      sources.map((to) => ({ to, why: 'its shard was not completed', failed: false })),
      { stayUntil: nowMs(clock) + STAY_MS },
    );
  if (lateMs > MINUTE_MS) {
    log.warn('A shard is dropped: its minute is over.', { late_ms: lateMs, sources: names(sources) });
    return onReport({ lateMs, ticks: [] });
  }
  const polled = await Promise.all(sources.map(poll));
  const known = polled.filter((each) => each !== undefined);
  onReport({
    lateMs,
    ticks: known.flatMap(({ to, report }) => (report === undefined ? [] : { to, report })),
  });
  await sendOn(known);

  async function poll(to: QuickSource): Promise<Polled | undefined> {
    try {
      const report = await pollQuickly(to, { slot, durationMs: Math.min(QUICK_MS, durationMs) });
      if (report?.outcome !== 'long') return report && { to, report };
      const { why = 'work is due', error } = report;
      return { to, report, why, failed: error !== undefined };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      log.warn('A quick tick failed; a long one follows.', { source: to.source, error });
      return { to, why: error.name, failed: true };
    }
  }

  /** Sends those that have a reason to the long queue, then notes all. */
  async function sendOn(all: readonly Polled[], stay: Pick<Note, 'stayUntil'> = {}): Promise<void> {
    const sentAt = nowMs(clock);
    const sent = all.filter((each) => 'why' in each);
    await sendLong(sent.map(({ to }) => longMessage(to, sentAt)));
    const notes = all.map((each): [string, Note] => [
      each.to.source,
      'why' in each
        ? { slot: sentAt, isSentOn: true, why: each.why, failed: each.failed, ...stay }
        : noteOf(each.report, slot),
    ]);
    try {
      await progress.note(shard, Object.fromEntries(notes));
    } catch (error) {
      // The next minute polls them again, and shows them as late until then.
      log.warn('What became of a shard could not be noted.', { error: error as Error });
    }
  }
}

type Polled = { readonly to: QuickSource; readonly report: QuickReport } | SentOn;

/** The long queue has to go on. */
interface SentOn {
  readonly to: QuickSource;
  /** Undefined if the quick tick did not come to its end. */
  readonly report?: QuickReport;
  readonly why: string;
  readonly failed: boolean;
}

function noteOf({ outcome, quietAt, error }: QuickReport, slot: number): Note {
  if (quietAt === undefined)
    return { slot, why: outcome, failed: outcome === 'resting' || error !== undefined };
  // A tick that saved has put the time into the source's state as well.
  return outcome === 'quiet' ? { slot, quietAt } : { slot, readAt: quietAt };
}

function nowMs(clock: Clock): number {
  return Math.floor(clock.now() / MILLISECOND);
}

function names(sources: readonly QuickSource[]): string[] {
  return sources.map(({ source }) => source);
}
