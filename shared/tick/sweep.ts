// A sweep finds changes in a list without any order early. It reads the pieces of one page in turn, with one request
// for each, while a walk proves pieces with three requests each, or a poll proves the latest updates. A piece that
// fills its page has groups that are not known yet, and is cut in two. The sweep proves nothing; the walk finds what it
// misses. A sweep begins at most once in each cycle (in each interval, if polls are walks), and reads only between the
// requests of a proof. If a walk over all groups does not fit a cycle, one piece of the recent groups is read for every
// three of the others: the recent ones are far fewer, and change more often.
import type { SweepGuard } from '../guarding/guard-sweep.ts';
import { guardSweep } from '../guarding/guards-of-run.ts';
import { areUnstampedHeld } from '../guarding/holds.ts';
import { type Instant, MILLISECOND } from '../instant.ts';
import { RECENT } from '../limits.ts';
import { cutRange, stampsOf } from '../reading/cut-range.ts';
import type { FetchPage, Interval, Page, PageRequest } from '../reading/page.ts';
import type { Recorder } from '../recording/record-pages.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { lastWalkedAt } from '../source/cycle-state.ts';
import { fitsCycle } from '../source/reconciliation-plan.ts';
import type { Sweep, SweptPart } from '../source/source-session.ts';
import { isFullPage, piecesOf, rowsOfPage } from './known-pieces.ts';
import { pollsByWalk } from './poll-by-walk.ts';
import type { TickRun } from './tick-run.ts';

/** Pieces read for each request of a proof. */
const PIECES_TO_ONE = 2;
/** Pieces of the older groups for each piece of the recent ones, which are far fewer and change more often. */
const OLDER_TO_RECENT = 3;
/** Requests after which proofs without progress no longer hold back the sweep. */
const REQUESTS_BEFORE = 20;
/** A sweep's pages follow each other, so their requests are booked together. */
const EXPECTED_PIECES = 8;

/** Reads the next pieces, if a sweep is under way or due. @param afterEach what may be due after each piece */
export type SweepOn = (afterEach?: () => Promise<void>) => Promise<void>;

interface Round {
  readonly startedAt: Instant;
  readonly guard: SweepGuard;
  readonly recorder: Recorder;
}

/** The same fetch, which sweeps before each request of a proof. */
export function sweepingBefore(
  fetch: FetchPage,
  sweepOn: SweepOn,
): (request: PageRequest, afterEach?: () => Promise<void>) => Promise<Page> {
  return async (request, afterEach) => {
    await sweepOn(afterEach);
    return fetch(request);
  };
}

/** Returns the sweeping of a tick. Polls and walks share it, so one guard judges the pages that the tick reads. */
export function createSweeping(run: TickRun): SweepOn {
  const { session } = run;
  const { sweeps } = session.list;
  const fetch = run.fetchAndLearn('reconciliation');
  const rounds = new Map<SweptPart, Round>();
  let turns = 0;
  let isSweeping = false;

  function roundOf(part: SweptPart, sweep: Sweep): Round {
    const { startedAt } = sweep;
    const under = rounds.get(part);
    if (under?.startedAt === startedAt) return under;
    const guard = guardSweep(session, run, sweep);
    const recorder = run.recorder('reconciliation', { guard, trustsMemory: true });
    const round = { startedAt, guard, recorder };
    rounds.set(part, round);
    return round;
  }

  /** The part that is next, then those that are read if no sweep of it is due. */
  function partsInTurn(): readonly SweptPart[] {
    if (fitsCycle(run.state, session.settings)) return ['all'];
    turns += 1;
    return turns % (1 + OLDER_TO_RECENT) === 1 ? ['recent', 'older'] : ['older', 'recent'];
  }

  async function readNext(part: SweptPart, sweep: Sweep): Promise<void> {
    const [piece, ...left] = sweep.left;
    if (piece === undefined) return;
    const { guard, recorder } = roundOf(part, sweep);
    const before = run.requestsSent('reconciliation');
    let halves: readonly Interval[] = [];
    try {
      const page = await fetch({ range: { created: piece }, offset: 0, expect: EXPECTED_PIECES });
      if (isFullPage(run, page)) halves = halvesOf(piece, page);
      await recorder.take(page);
      await guard.concludePage(recorder);
    } catch (error) {
      // The walk reads this piece as well, and its failure is reported.
      if (!mayBeAboutRequest(error)) throw error;
    } finally {
      run.swept += run.requestsSent('reconciliation') - before;
    }
    // Only now: a piece that the tick's end cuts off is read first in the next tick.
    sweeps[part] = { ...sweep, left: [...halves, ...left] };
    if (halves.length + left.length === 0) guard.learn();
  }

  async function readPieces(afterEach?: () => Promise<void>): Promise<void> {
    for (let pieces = 0; pieces < PIECES_TO_ONE; pieces += 1) {
      for (const part of partsInTurn()) {
        const sweep = await sweepUnderWay(run, part);
        if (sweep === undefined) continue;
        await readNext(part, sweep);
        await afterEach?.();
        break;
      }
    }
  }

  return async function sweepOn(afterEach) {
    // A poll may come due while a piece waits for the budget: it does not sweep as well.
    if (isSweeping || !session.list.isUnordered || run.state.baseline.status !== 'completed') return;
    if (!mayRead(run)) return;
    isSweeping = true;
    try {
      await readPieces(afterEach);
    } finally {
      isSweeping = false;
    }
  };
}

/** The two parts of a piece, cut by the rows of its first page; none if it is too narrow to be cut. */
function halvesOf(piece: Interval, { rows }: Page): Interval[] {
  const halves = cutRange({ created: piece }, stampsOf(rows)) ?? [];
  return halves.flatMap(({ created }) => created ?? []);
}

/**
 * Whether the walk made progress in this tick, or proofs tried for long: they need some requests in a row to succeed.
 */
function mayRead(run: TickRun): boolean {
  return run.walked.size > 0 || run.requestsOfWalks() + run.requestsSent('covering') >= REQUESTS_BEFORE;
}

/** Returns the sweep under way, or a new one if it is due. */
async function sweepUnderWay(run: TickRun, part: SweptPart): Promise<Sweep | undefined> {
  const { list, serviceClock, settings } = run.session;
  const last = list.sweeps[part];
  const pageRows = rowsOfPage(run);
  const [next] = last?.left ?? [];
  if (last !== undefined && next !== undefined) {
    if (last.pageRows === pageRows) return last;
    // Pages turned out to have other lengths than those that the pieces were cut for.
    const left = await piecesOf(run, { from: next.from, to: last.left.at(-1)?.to });
    return { ...last, left, pageRows };
  }
  const now = serviceClock.now().atLeast;
  const every = (pollsByWalk(run) ? settings.intervalMs : settings.reconcileMs) * MILLISECOND;
  if (last !== undefined && now >= last.startedAt && now < last.startedAt + every) return undefined;
  const before = last === undefined ? lastWalkOf(run, part, now) : sinceSweep(last);
  const left = await piecesOf(run, groupsOf(part, now));
  return { left, pageRows, startedAt: now, ...before, isHeld: areUnstampedHeld(run.state) };
}

type LastRead = Pick<Sweep, 'since' | 'unheldSince'>;

function sinceSweep({ startedAt, unheldSince, isHeld }: Sweep): LastRead {
  return { since: startedAt, unheldSince: isHeld ? unheldSince : startedAt };
}

/** When walks last read the groups of a part. */
function lastWalkOf({ state }: TickRun, part: SweptPart, now: Instant): LastRead {
  const tier = part === 'recent' ? 'recent' : 'all';
  const since = lastWalkedAt(state.reconciliation, tier, now) ?? state.baseline.startedAt;
  return { since, unheldSince: state.reconciliation[tier].unheldSince ?? since };
}

/** When the groups of a part were created. */
function groupsOf(part: SweptPart, now: Instant): Interval {
  return {
    from: part === 'recent' ? now - RECENT : undefined,
    to: part === 'older' ? now - RECENT : undefined,
  };
}
