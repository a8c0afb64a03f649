// The use case, top to bottom. A tick polls recent updates and, while there is time, continues the walk over all
// groups (the baseline at first) without delaying the next poll. The next tick continues what this one can't finish:
// everything that it read is saved by then, and nothing counts as settled that was not saved.

import { SourceHeld } from './guarding/source-held.ts';
import { DeadlineReached, SourceRefused, TokenUnavailable } from './pacing/errors.ts';
import { InvalidBaseUrlError } from './returns-service/base-url.ts';
import { InvalidTokenError, ReturnsServiceError } from './returns-service/errors.ts';
import { LeaseLost } from './source/source-cell.ts';
import type { SourceSession } from './source/source-session.ts';
import { createFetchBetweenPolls, createPollWhenDue } from './tick/between-polls.ts';
import { concludeTick } from './tick/conclude-tick.ts';
import { createRangeRoom } from './tick/range-room.ts';
import { reconcile } from './tick/reconcile.ts';
import { startTick, type Tick } from './tick/start-tick.ts';
import { createSweeping } from './tick/sweep.ts';
import type { TickReport } from './tick/tick-report.ts';
import { createTickRun, type TickRun } from './tick/tick-run.ts';
import { walkBaseline } from './tick/walk-baseline.ts';

/**
 * Runs one tick of a source and reports what it did.
 *
 * @throws RestoredStateError if the state is in other tables than those it was created in; what the stores throw:
 *   nothing is lost then, but the tick must be seen to have failed. The same if the token or the address can't be used
 *   before there is a state to report it.
 */
export async function pollSource(tick: Tick, session: SourceSession): Promise<TickReport> {
  session.deadline = session.clock.elapsed() + tick.durationMs * 1_000;
  session.polls = undefined;
  try {
    return await runTick(tick, session);
  } finally {
    await session.activity.conclude();
  }
}

async function runTick(tick: Tick, session: SourceSession): Promise<TickReport> {
  const run = createTickRun(session);
  try {
    const started = await startTick(tick, run);
    if (started !== 'taken') return run.report(started, undefined);
    session.onProgress?.(run.report('done', undefined));
    const error = await work(run);
    return await concludeTick(run, error);
  } catch (error) {
    if (error instanceof LeaseLost) return run.report('overtaken', undefined);
    const failure = failureOf(error);
    if (failure === undefined || isLackOfAccess(error)) throw error;
    return run.report('done', failure);
  }
}

/** @returns the failure that ended the work early or that of the last poll; reaching the deadline is no failure. */
async function work(run: TickRun): Promise<Error | undefined> {
  try {
    await run.tokenGuard.proveIfHeld();
    const sweepOn = createSweeping(run);
    const pollWhenDue = createPollWhenDue(run, sweepOn);
    await pollWhenDue();
    // The walks over all groups have the time that polls leave: first the baseline, then reconciliation when due.
    const fetch = createFetchBetweenPolls(run, pollWhenDue, sweepOn);
    const room = createRangeRoom(run);
    await walkBaseline(run, fetch, room);
    await reconcile(run, { fetch, pollWhenDue, room });
    return run.pollFailure;
  } catch (error) {
    if (error instanceof DeadlineReached) return run.pollFailure;
    if (error instanceof SourceHeld) return undefined;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return failure;
  }
}

/** Returns the error if the service, the access to it or the deadline caused it: it may be gone at the next tick. */
function failureOf(error: unknown): Error | undefined {
  return error instanceof SourceRefused ||
    error instanceof ReturnsServiceError ||
    error instanceof DeadlineReached ||
    isLackOfAccess(error)
    ? error
    : undefined;
}

/** Whether no request could be sent at all: an operator has to correct the token or the address. */
function isLackOfAccess(error: unknown): error is Error {
  return (
    error instanceof TokenUnavailable ||
    error instanceof InvalidTokenError ||
    error instanceof InvalidBaseUrlError
  );
}
