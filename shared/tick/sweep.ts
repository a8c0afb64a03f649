// A sweep reads a list without any order for its news: every piece of one page with one request, in turn, while a walk
// proves one piece with three. A piece that fills its page is cut in two: groups are in it that are not known yet. The
// sweep proves nothing; what it misses is found by the walk. Sweeps go on as long as the walk takes longer than the time
// in which all should be read once.
import type { SweepGuard } from '../guarding/guard-sweep.ts';
import { guardSweep } from '../guarding/guards-of-run.ts';
import { type Instant, MILLISECOND } from '../instant.ts';
import { RECENT } from '../limits.ts';
import { cutRange, stampsOf } from '../reading/cut-range.ts';
import type { Interval, Page } from '../reading/page.ts';
import type { Recorder } from '../recording/record-pages.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { fitsCycle } from '../source/reconciliation-plan.ts';
import type { Sweep } from '../source/source-session.ts';
import { cutsAfter, isFullPage } from './known-pieces.ts';
import { pollsByWalk } from './poll-by-walk.ts';
import type { TickRun } from './tick-run.ts';

/** Pieces read for each request of the walk. */
const PIECES_TO_ONE = 2;
/** Requests after which a walk that does not get on no longer holds back the sweep. */
const REQUESTS_BEFORE = 20;
/** A sweep's pages follow each other, so their requests are booked together. */
const EXPECTED_PIECES = 8;

/** Returns a function that reads the next pieces, if a sweep is under way or due; call it before a walk's request. */
export function createSweeping(run: TickRun): () => Promise<void> {
  const { session } = run;
  const fetch = run.fetchAndLearn('reconciliation');
  let round: { readonly sweep: Instant; readonly guard: SweepGuard; readonly recorder: Recorder } | undefined;

  function roundOf({ startedAt, since }: Sweep) {
    if (round?.sweep === startedAt) return round;
    const guard = guardSweep(session, run, since);
    const recorder = run.recorder('reconciliation', { guard, trustsMemory: true });
    round = { sweep: startedAt, guard, recorder };
    return round;
  }

  async function readNext(sweep: Sweep): Promise<void> {
    const [piece, ...left] = sweep.left;
    if (piece === undefined) return;
    const { guard, recorder } = roundOf(sweep);
    const before = run.requestsSent('reconciliation');
    let parts: readonly Interval[] = [];
    try {
      const page = await fetch({ range: { created: piece }, offset: 0, expect: EXPECTED_PIECES });
      if (isFullPage(run, page)) parts = halvesOf(piece, page);
      await recorder.take(page);
      await guard.concludePage(recorder);
    } catch (error) {
      // The walk reads this piece as well, and its failure is reported.
      if (!mayBeAboutRequest(error)) throw error;
    } finally {
      run.swept += run.requestsSent('reconciliation') - before;
    }
    // Only now: a piece that the tick's end cuts off is read first in the next tick.
    session.list.sweep = { ...sweep, left: [...parts, ...left] };
    if (session.list.sweep.left.length === 0) guard.learn();
  }

  return async function sweepOn() {
    if (!session.list.isUnordered || run.state.baseline.status !== 'completed') return;
    if (!mayBegin(run)) return;
    for (let pieces = 0; pieces < PIECES_TO_ONE; pieces += 1) {
      const sweep = await sweepUnderWay(run);
      if (sweep === undefined) return;
      await readNext(sweep);
    }
  };
}

/** The two parts of a piece, cut by the rows of its first page; none if it is too narrow to be cut. */
function halvesOf(piece: Interval, { rows }: Page): Interval[] {
  const halves = cutRange({ created: piece }, stampsOf(rows)) ?? [];
  return halves.flatMap(({ created }) => created ?? []);
}

/** Whether the walk got on in this tick, or tried for long: it needs a few requests in a row to keep anything. */
function mayBegin(run: TickRun): boolean {
  return run.walked.size > 0 || run.requestsOfWalks() >= REQUESTS_BEFORE;
}

/** Returns the sweep under way, or a new one if it is due. */
async function sweepUnderWay(run: TickRun): Promise<Sweep | undefined> {
  const { list, serviceClock, settings } = run.session;
  const last = list.sweep;
  if (last !== undefined && last.left.length > 0) return last;
  const now = serviceClock.now().atLeast;
  const every = (pollsByWalk(run) ? settings.intervalMs : settings.reconcileMs) * MILLISECOND;
  if (last !== undefined && now >= last.startedAt && now < last.startedAt + every) return undefined;
  const from = fitsCycle(run.state, settings) ? undefined : now - RECENT;
  const since = last?.startedAt ?? run.state.baseline.startedAt;
  list.sweep = { left: piecesFrom(from, await cutsAfter(run, from)), startedAt: now, since };
  return list.sweep;
}

function piecesFrom(from: Instant | undefined, cuts: readonly Instant[]): Interval[] {
  const starts = [from, ...cuts];
  return starts.map((start, index) => ({ from: start, to: starts[index + 1] }));
}
