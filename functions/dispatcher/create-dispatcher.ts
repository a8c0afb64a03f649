// Sends the sources that are due in a minute to the poller's queues. A minute is dispatched once: what a dispatch that
// fails has not sent is due again in the next minute.
import {
  type KnownSource,
  learnFromLong,
  learnFromShard,
  type Note,
} from '../../shared/dispatching/known-source.ts';
import {
  type DispatchFigures,
  type DueSource,
  MINUTE_MS,
  planMinute,
} from '../../shared/dispatching/plan-minute.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock, Ledger, Log, SourceStates } from '../../shared/ports.ts';
import { reportUnconfigured } from '../../shared/reporting/report-unconfigured.ts';
import type { Dispatch, Dispatches } from '../adapters/dynamodb-dispatches.ts';
import type { Progress } from '../adapters/dynamodb-progress.ts';
import type { DirectoryEntry, InvalidEntry, SourceDirectory } from '../adapters/dynamodb-source-directory.ts';
import type { SendMessages } from '../adapters/message-queue.ts';
import { longMessage, shardMessage } from '../poller/tick-message.ts';

/** An invocation for another time comes from a wrong clock, or was kept too long. */
const MOST_APART_MS = 600_000;
/** Sources that a log line names. */
const MOST_NAMED = 10;

export interface DispatcherOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: Pick<SourceDirectory, 'list'>;
  readonly dispatches: Dispatches;
  readonly progress: Pick<Progress, 'readAll' | 'readLong'>;
  readonly states: SourceStates;
  readonly ledger: Ledger;
  readonly sendQuick: SendMessages;
  readonly sendLong: SendMessages;
  readonly onReport: (figures: DispatchFigures, invalidEntries: number) => void;
}

/** Dispatches the minute of a slot, in milliseconds since the epoch. */
export type Dispatcher = (slot: number) => Promise<void>;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, log, directory, dispatches, progress, sendQuick, sendLong } = options;

  return async function dispatchMinute(slot) {
    const apart = slot - clock.now() / MILLISECOND;
    if (Math.abs(apart) > MOST_APART_MS)
      throw new Error(`The minute ${new Date(slot).toISOString()} is not dispatched: it is not now.`);
    const minute = Math.floor(slot / MINUTE_MS);
    const before = await dispatches.load();
    const last = before?.minutes[0]?.minute ?? 0;
    const [sources, invalid] = sortEntries(await directory.list());
    const known = await learnAll(before, sources);
    const plan = planMinute(minute, sources, known, last);
    const minutes = [{ minute, shards: plan.shards.length }, ...(before?.minutes.slice(0, 1) ?? [])];
    if (!(await dispatches.take(minute, { minutes, known: plan.known })))
      return log.info('The minute, or a later one, was dispatched before.', { slot });
    await Promise.all([
      sendQuick(plan.shards.map(shardMessage)),
      sendLong(plan.long.map((each) => longMessage(each, minute * MINUTE_MS))),
    ]);
    options.onReport(plan.figures, invalid.length);
    reportLate(plan.late);
    await reportInvalid(invalid, slot);
  };

  async function learnAll(before: Dispatch | undefined, sources: readonly DueSource[]) {
    const kept = new Map(Object.entries(before?.known ?? {}));
    const notes = await progress.readAll(before?.minutes ?? []);
    const known = new Map(
      sources.flatMap(({ name }) => learnSource(name, kept.get(name), notes.get(name) ?? [])),
    );
    const withLong = [...known].filter(([, { long }]) => long !== undefined).map(([name]) => name);
    for (const [name, note] of await progress.readLong(withLong)) {
      const source = known.get(name);
      if (source !== undefined) known.set(name, learnFromLong(source, note));
    }
    return known;
  }

  function reportLate(late: ReturnType<typeof planMinute>['late']): void {
    if (late.length === 0) return;
    const worst = late
      .slice(0, MOST_NAMED)
      .map(({ source, lateMs }) => `${source} ${Math.round(lateMs / 1_000)} s`);
    log.warn('Sources are polled late.', { sources: late.length, worst });
  }

  /** Without settings no tick can report it. */
  async function reportInvalid(invalid: readonly InvalidEntry[], slot: number): Promise<void> {
    for (const { name: source, problem } of invalid) {
      log.warn('The entry of a source is invalid: it is not polled.', { source, problem });
      await reportUnconfigured({ source, slot }, options);
    }
  }
}

/** Those to poll, and those that can't be; paused ones are neither. */
function sortEntries(
  entries: readonly (DirectoryEntry | InvalidEntry)[],
): [DirectoryEntry[], InvalidEntry[]] {
  const active = entries.filter(({ isPaused }) => !isPaused);
  return [active.filter((it): it is DirectoryEntry => !isInvalid(it)), active.filter(isInvalid)];
}

function isInvalid(entry: DirectoryEntry | InvalidEntry): entry is InvalidEntry {
  return 'problem' in entry;
}

/** @returns nothing for a new source */
function learnSource(
  name: string,
  kept: KnownSource | undefined,
  notes: readonly Note[],
): [string, KnownSource][] {
  const [first] = notes;
  const known = kept ?? (first && { since: first.slot });
  return known === undefined ? [] : [[name, notes.reduce(learnFromShard, known)]];
}
