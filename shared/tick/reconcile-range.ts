// Reads one range of a walk. A range that was read to its proved end also shows which known groups are missing.
import { guardWalk } from '../guarding/guards-of-run.ts';
import type { Instant } from '../instant.ts';
import { inDigits } from '../reading/bounds.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { walkOn } from '../reading/walk.ts';
import type { WalkStep } from '../reading/walk-step.ts';
import { noteWalked } from '../reporting/source-read.ts';
import { type Tier, withCycle } from '../source/cycle-state.ts';
import { openUntil } from '../source/reconciliation-plan.ts';
import type { ListShape } from '../source/source-session.ts';
import { createdWithin } from './created-within.ts';
import { knownPieces } from './known-pieces.ts';
import { lookForMissing, type SearchOutcome } from './look-for-missing.ts';
import type { RangeRoom } from './range-room.ts';
import { readAround } from './read-around.ts';
import { noteCutOff, type OpenStep, readOpen } from './read-open.ts';
import type { TickRun } from './tick-run.ts';

export interface RangeReading {
  readonly fetch: FetchPage;
  readonly pollWhenDue: () => Promise<void>;
  readonly room: Pick<RangeRoom, 'hasTime'>;
}

export interface RangeRead extends Pick<WalkStep, 'position' | 'isDone' | 'covered'> {
  /** Requests that it took. */
  readonly sent: number;
  readonly missed: SearchOutcome;
}

/** Reads the next range of a tier's cycle, saves its changes, and looks for known groups that it lacks. */
export async function reconcileRange(
  run: TickRun,
  tier: Tier,
  maxPages: number,
  { fetch, pollWhenDue, room }: RangeReading,
): Promise<RangeRead> {
  const { coveredThrough, rangeWidth } = run.state.reconciliation[tier];
  const guard = guardWalk(run.session, run, tier, coveredThrough);
  const recorder = run.recorder('reconciliation', { guard });
  const seen = new Set<number>();
  const read = new Map<number, Instant>();
  const before = run.requestsOfWalks();
  const take = async (page: Page) => {
    for (const id of idsOf(page)) seen.add(id);
    for (const row of page.rows) if (row.kind === 'readable') read.set(row.group.id, row.createdAt);
    if (tier === 'all') run.update((state) => noteWalked(state, page.sentAt));
    await recorder.take(page);
    await guard.concludePage(recorder);
    if (guard.isFull()) await guard.conclude(recorder);
  };
  const missing = { tier, seen, recorder, pollWhenDue };

  async function readOpenGroups(): Promise<Omit<RangeRead, 'sent'>> {
    const until = openUntil(run.state.reconciliation.open);
    const { hasTime } = room;
    let from = coveredThrough;
    // The first place that must be read again.
    let again: Instant | undefined;
    const moveTo = (to: Instant | undefined) => {
      from = to;
      run.update((state) =>
        withCycle(state, tier, { ...state.reconciliation[tier], coveredThrough: again ?? to }),
      );
    };
    const noteCovered = async (to: Instant) => {
      await guard.conclude(recorder);
      run.walked.add(tier);
      moveTo(to);
    };
    for (;;) {
      const maxRequests = Math.max(1, maxPages - (run.requestsOfWalks() - before));
      const options = {
        ...{ coveredThrough: from, until, fetch, take, pollWhenDue, maxRequests, hasTime, noteCovered, seen },
      };
      const step = await run.within(tier, () => readOpen(run, options));
      await guard.conclude(recorder);
      // If the tick ends while lists are read around a group that was not found, the next one begins with that group.
      moveTo(step.coveredThrough);
      const { range, isHidden, coveredThrough: end } = await run.within(tier, () => readOn(step));
      await guard.conclude(recorder);
      const isReadAgain = again !== undefined;
      const found = { ...missing, isHidden, isReadAgain, notFound: step.notFound };
      const missed = await run.within(tier, () => lookForMissing(run, range, found));
      if (missed === 'again') again ??= step.coveredThrough;
      run.walked.add(tier);
      await guard.conclude(recorder);
      moveTo(end);
      const hasRoom = hasTime() && run.requestsOfWalks() - before < maxPages;
      if (step.notFound !== undefined && hasRoom) continue;
      const { rangeWidth: width } = run.state.reconciliation.open;
      const position = { coveredThrough: again ?? end, rangeWidth: width };
      return {
        position,
        isDone: step.isDone,
        covered: undefined,
        missed: again === undefined ? 'done' : 'again',
      };
    }
  }

  async function readOn({ coveredThrough, notFound }: OpenStep) {
    if (notFound === undefined) return { range: undefined, isHidden: false, coveredThrough };
    return readAround(run, notFound, { fetch, take, pollWhenDue });
  }

  async function readByCreation(): Promise<Omit<RangeRead, 'sent'>> {
    const { depth, session } = run;
    const now = () => session.serviceClock.now().atLeast;
    const options = {
      ...{ fetch, take, maxPages, hasRoom: room.hasTime, depth, now },
      ...{ stamps: () => run.stamps, pieces: knownPieces(run) },
    };
    const step = await run.within(tier, () => walkOn({ coveredThrough, rangeWidth }, options));
    if (step.hasNoOrder) noteLostOrder(session.list);
    // Rows outside of what was covered belong to a later range, which reads them again with its others.
    const rowsCovered = createdWithin(step.covered, read);
    await guard.conclude(recorder, { isCovered: rowsCovered > 0 });
    const isGettingOn = rowsCovered > 0 || (step.covered !== undefined && step.isDone);
    const covered = step.covered && inDigits(step.covered, run.stamps);
    // If the tick ends before its missing groups are looked up, the range is halved: that is no progress.
    const missed = await run.within(tier, () => lookForMissing(run, covered, missing));
    if (isGettingOn) run.walked.add(tier);
    if (step.covered !== undefined) await guard.conclude(recorder);
    return { ...step, missed };
  }

  try {
    const range = await (tier === 'open' ? readOpenGroups() : readByCreation());
    return { ...range, sent: run.requestsOfWalks() - before };
  } catch (error) {
    if (tier === 'open') noteCutOff(run);
    throw error;
  } finally {
    // Also if the tick ends here: what was judged and published is not found again.
    guard.learn();
  }
}

function noteLostOrder(list: ListShape): void {
  list.isUnordered = true;
  list.hasLostOrder = true;
}

function idsOf({ rows }: Page): number[] {
  return rows.flatMap((row) =>
    row.kind === 'readable' ? [row.group.id] : row.id === undefined ? [] : [row.id],
  );
}
