// Polls the sources of a shard, all at once, so that a frozen one delays none. Nothing is retried: what a quick tick can't
// do, and what fails, goes on in the long queue, one source at a time.
import type { Note } from '../../shared/dispatching/known-source.ts';
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
  const startedAt = nowMs(clock);
  const lateMs = Math.max(0, startedAt - slot);
  // Otherwise one source that ends its process would stop its neighbours for good.
  if (tries > 1) return await sendOn(sources.map((to) => ({ to, why: 'its shard was not completed' })));
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
      return report && { to, report, ...(report.outcome === 'long' && { why: report.why ?? 'work is due' }) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      log.warn('A quick tick failed; a long one follows.', { source: to.source, error });
      return { to, why: error.name, failed: true };
    }
  }

  /** Sends those that have a reason to the long queue, then notes all. */
  async function sendOn(all: readonly Polled[]): Promise<void> {
    const sentAt = nowMs(clock);
    const sent = all.filter(({ why }) => why !== undefined);
    await sendLong(sent.map(({ to }) => longMessage(to, sentAt)));
    const notes = all.map(({ to, report, why, failed = report?.error !== undefined }): [string, Note] => [
      to.source,
      why === undefined ? noteOf(report, slot, startedAt) : { slot: sentAt, isSentOn: true, why, failed },
    ]);
    try {
      await progress.note(shard, Object.fromEntries(notes));
    } catch (error) {
      // The next minute polls them again, and shows them as late until then.
      log.warn('What became of a shard could not be noted.', { error: error as Error });
    }
  }
}

interface Polled {
  readonly to: QuickSource;
  readonly report?: QuickReport | undefined;
  /** Why the long queue has to go on. */
  readonly why?: string;
  readonly failed?: boolean;
}

/** A reading is as old as the start of its tick: its request was sent after that. */
function noteOf(report: QuickReport | undefined, slot: number, startedAt: number): Note {
  const { outcome, behindMs = 0, error } = report ?? {};
  const readAt = startedAt - behindMs;
  if (outcome === 'quiet') return { slot, quietAt: readAt };
  if (outcome === 'saved') return { slot, readAt };
  return { slot, ...(outcome && { why: outcome }), failed: outcome === 'resting' || error !== undefined };
}

function nowMs(clock: Clock): number {
  return Math.floor(clock.now() / MILLISECOND);
}

function names(sources: readonly QuickSource[]): string[] {
  return sources.map(({ source }) => source);
}
