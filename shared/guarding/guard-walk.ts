// Changes that a walk finds without a newer stamp are judged together. If an improbable share of all groups differs at
// once, the service has probably begun to answer in another way: none of these changes is published. So the changes of
// a page are published at once only if the page, and the range so far, differ no more than usual. Otherwise they wait
// until their range is read: judged page by page, half of such a fault would be published before it shows.
import type { Instant } from '../instant.ts';
import { MAX_WAITING_CHANGES } from '../limits.ts';
import type { Recorder } from '../recording/record-pages.ts';
import { noteOvertaken } from '../reporting/source-read.ts';
import { type CycleState, lastWalkedAt, type Tier, withCycle } from '../source/cycle-state.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceState } from '../source/source-state.ts';
import type { Hold } from './guarding-state.ts';
import { sampleChanges } from './hold-samples.ts';
import { askWitness } from './hold-witnesses.ts';
import { areUnstampedHeld, findHold, findPermit, holdBack, replaceHold, usePermit } from './holds.ts';
import { type Differing, isImprobable, isMostOfFew, isUsual, rateOf } from './judge-changes.ts';
import { noteRate } from './learn-usual-rate.ts';
import type { ComparedReading, ReadingGuard } from './reading-guard.ts';
import { type Counted, gatherUnstamped } from './unstamped-changes.ts';

const GUARD = 'changed_without_stamps';

export interface WalkGuard extends ReadingGuard {
  /**
   * Saves the page's changes if so few groups differ that they need not wait for their range. Call it after each page.
   */
  concludePage(recorder: Pick<Recorder, 'record'>): Promise<void>;
  /** Whether so many changes wait that they must be judged before the whole range is read. */
  isFull(): boolean;
  /**
   * Saves the waiting changes or holds them. Call it after each range, covered or not. Where most of a few groups
   * differ in a range that was not covered, the rest may differ as well: they are left to the walk that reads the range
   * again.
   */
  conclude(recorder: Pick<Recorder, 'record'>, range?: { readonly isCovered: boolean }): Promise<void>;
  /**
   * Learns how much usually differs, from all that was judged. Call it at the end of the range, or of the turn of a
   * walk that looks groups up: a part of it may show a far higher share than the whole.
   */
  learn(): void;
}

export interface GuardedWalk {
  readonly source: Pick<SourceCell, 'state' | 'update' | 'save'>;
  readonly now: () => Instant;
  /**
   * The planned time between two polls, in the unit of Instant: no walk is planned to begin sooner after the last one.
   */
  readonly interval: number;
  /** The guard of every reading, however it came. */
  readonly readings: ReadingGuard;
}

/** @param from where the walk's next range begins */
export function createWalkGuard(run: GuardedWalk, tier: Tier, from: Instant | undefined): WalkGuard {
  const changes = gatherUnstamped(run.readings);
  let counted: Counted = { compared: 0, unstamped: 0 };
  let ratePerHour = 0;

  /** How long the groups had to change since they were last walked. */
  function durationOf({ reconciliation, baseline }: SourceState): number {
    return timeSince(run, lastWalkedAt(reconciliation, tier, run.now()) ?? baseline.startedAt);
  }

  /** Counts what came since the last call. */
  function countNew(): Counted {
    const now = changes.counted;
    const fresh = {
      compared: now.compared - counted.compared,
      unstamped: now.unstamped - counted.unstamped,
    };
    counted = now;
    return fresh;
  }

  /** Whether the waiting changes may be published; the state remembers what was found. */
  function judgeWaiting(waiting: readonly ComparedReading[]): boolean {
    const { reconciliation } = run.source.state;
    const fresh = countNew();
    const cycle = addTo(reconciliation[tier], fresh);
    run.source.update((state) => withCycle(state, tier, cycle));
    const duration = durationOf(run.source.state);
    const range = { ...changes.counted, duration };
    const { unheldSince = run.now() - duration } = cycle;
    const addedUpFor = Math.max(duration, run.now() - unheldSince);
    const found = { range, cycle: { ...cycle, duration }, fresh, from, now: run.now(), addedUpFor };
    const judged = judge(run.source.state, tier, found, waiting);
    run.source.update(() => judged.state);
    // The last judgement of an open walk's turn covers all parts of it. In other walks each judgement covers a whole
    // range, also before the look-ups, so the highest rate counts.
    ratePerHour = tier === 'open' ? judged.ratePerHour : Math.max(ratePerHour, judged.ratePerHour);
    return judged.isAdmitted;
  }

  return {
    admits(each) {
      const hold = findHold(run.source.state, GUARD, tier);
      if (hold !== undefined) run.source.update((state) => replaceHold(state, hold, askWitness(hold, each)));
      return changes.admits(each);
    },
    admitsRemovals: changes.admitsRemovals,
    async concludePage(recorder) {
      const { state } = run.source;
      if (areUnstampedHeld(state)) return;
      const page = changes.takeUsualPage(state, durationOf(state), run.now());
      if (page.length > 0) await saveFirst(run.source, recorder, page);
    },
    isFull: () => changes.waiting >= MAX_WAITING_CHANGES,
    async conclude(recorder, { isCovered } = { isCovered: true }) {
      if (counted.compared === changes.counted.compared && changes.waiting === 0) return;
      const waiting = changes.takeWaiting();
      const { state } = run.source;
      const range = { ...changes.counted, duration: durationOf(state) };
      if (!isCovered && isMostOfFew(range, state.guarding.usual, run.now())) {
        countNew();
        return;
      }
      // As in saveFirst; and another process may hold these changes by now.
      if (waiting.length > 0) await run.source.save();
      if (judgeWaiting(waiting)) await recorder.record(waiting);
      // Save now: if a later step failed and lost the hold, a walk that finds fewer of these would publish them.
      else {
        run.source.update(noteOvertaken);
        await run.source.save();
      }
    },
    learn() {
      run.source.update((state) => noteRate(state, tier, ratePerHour));
    },
  };
}

/**
 * How long groups had to change: one interval at least. A shorter time comes from a clock that was set, or from a late
 * tick: one change in a second would make a change of most groups in a minute usual.
 */
export function timeSince({ now, interval }: Pick<GuardedWalk, 'now' | 'interval'>, since: Instant): number {
  return Math.max(interval, now() - since);
}

/** Records changes after the state was saved: a process that was frozen holds stale state, and fails to save it. */
export async function saveFirst(
  source: Pick<SourceCell, 'save'>,
  recorder: Pick<Recorder, 'record'>,
  changes: readonly ComparedReading[],
): Promise<void> {
  await source.save();
  await recorder.record(changes);
}

function addTo(cycle: CycleState, { compared, unstamped }: Counted): CycleState {
  return { ...cycle, compared: cycle.compared + compared, unstamped: cycle.unstamped + unstamped };
}

interface Found {
  readonly range: Differing;
  /** The whole cycle so far. */
  readonly cycle: Differing;
  /** The part that was not counted before. */
  readonly fresh: Counted;
  readonly from: Instant | undefined;
  readonly now: Instant;
  /** How long the changes that are published now have added up; after a hold, longer than since the last walk. */
  readonly addedUpFor: number;
}

/** Returns whether the waiting changes may be published, the state that remembers it, and the rate that was shown. */
function judge(state: SourceState, tier: Tier, found: Found, waiting: readonly ComparedReading[]) {
  const { range, cycle, fresh, from, now, addedUpFor } = found;
  const { usual } = state.guarding;
  const isOverThreshold = [range, cycle].some((differing) => isImprobable(differing, usual, now));
  const permit = findPermit(state, GUARD, tier);
  const isPermitted =
    permit !== undefined &&
    [cycle, { ...fresh, duration: cycle.duration }].every(
      (differing) => !isImprobable(withoutPermitted(differing, permit), usual, now),
    );
  const isHeldByOther = areUnstampedHeld(state) && findHold(state, GUARD, tier) === undefined;
  const isOfRelease = isHeldByOther && permit !== undefined && permit.suspects > 0;
  // Another tier's walk may hold these as well. If there are more than were released, only that walk may hold the
  // others.
  const isReleased = isOfRelease && cycle.unstamped <= permit.suspects;
  const isStanding = areUnstampedHeld(state) && !isReleased;
  const isFault = (isOverThreshold && !isPermitted) || (isOfRelease && !isReleased);
  // Another tier's walk holds changes: perhaps these.
  if (waiting.length > 0 && isHeldByOther && !isReleased && !isFault)
    return { state, isAdmitted: false, ratePerHour: 0 };
  if (waiting.length > 0 && (isStanding || isFault)) {
    const held = holdBack(
      state,
      {
        guard: GUARD,
        tier,
        suspects: fresh.unstamped,
        isOverThreshold,
        from,
        samples: sampleChanges(waiting),
      },
      now,
    );
    return { state: held, isAdmitted: false, ratePerHour: 0 };
  }
  // Nothing waits if every reading of a fault was left as possibly stale. A later walk judges it: it must not be usual
  // then.
  if (isStanding || isFault) return { state, isAdmitted: true, ratePerHour: 0 };
  // The rate of a release is that of one cycle's time, so that it can be compared with the next release
  // (learn-usual-rate.ts).
  const duration = permit === undefined ? addedUpFor : cycle.duration;
  const rates = [range, cycle].map((each) => rateOf({ ...each, duration }, usual, now));
  const ratePerHour = Math.max(...rates);
  // A permit is not used up by usual changes.
  const isNeeded = isReleased || [range, cycle].some((each) => !isUsual(each, usual, now));
  const next = isNeeded ? usePermitOf(state, tier, fresh.unstamped, ratePerHour) : state;
  return { state: next, isAdmitted: true, ratePerHour };
}

/** The groups besides those whose changes are permitted: they are judged by themselves. */
function withoutPermitted({ compared, unstamped, duration }: Differing, permit: Hold): Differing {
  const permitted = Math.min(unstamped, permit.suspects);
  return { compared: compared - permitted, unstamped: unstamped - permitted, duration };
}

/**
 * Returns the state after changes were published: they use up the tier's permit. The cycle no longer counts them, so
 * the next range may use the rest of the permit; and what they show is noted now, in case the tick ends here.
 */
function usePermitOf(state: SourceState, tier: Tier, published: number, ratePerHour: number): SourceState {
  const permit = findPermit(state, GUARD, tier);
  if (permit === undefined) return state;
  const used = Math.min(permit.suspects, published);
  const noted = noteRate(state, tier, ratePerHour);
  const cycle = noted.reconciliation[tier];
  const others = { compared: cycle.compared - used, unstamped: cycle.unstamped - used };
  return withCycle(usePermit(noted, permit, used), tier, { ...cycle, ...others });
}
