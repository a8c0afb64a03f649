// The use case, top to bottom. A tick polls what was updated lately and, as long as there is time, goes on with the
// walk over all groups (the baseline at first), without letting the next poll wait for it. What a tick can't finish
// is left to the next: everything it has read is saved by then, and nothing is settled that was not.

import { SourceHeld } from './guarding/source-held.ts';
import { DeadlineReached, SourceRefused, TokenUnavailable } from './pacing/errors.ts';
import { InvalidBaseUrlError } from './returns-service/base-url.ts';
import { InvalidTokenError, ReturnsServiceError } from './returns-service/errors.ts';
import type { SourceSession } from './source/source-session.ts';
import { concludeTick } from './tick/conclude-tick.ts';
import { pollUnlessItFails } from './tick/poll-once.ts';
import { startTick, type Tick } from './tick/start-tick.ts';
import type { TickReport } from './tick/tick-report.ts';
import { createTickRun, LeaseLost, type TickRun } from './tick/tick-run.ts';
import { walkWhileTime } from './tick/walk-while-time.ts';

/**
 * Does one tick of a source.
 *
 * @throws what the stores throw: nothing is lost then, but the tick must be seen to have failed. So it must where the
 * token can't be had before there is a state that could say so.
 */
export async function pollSource(tick: Tick, session: SourceSession): Promise<TickReport> {
  session.deadline = session.clock.elapsed() + tick.durationMs * 1_000;
  const run = createTickRun(session);
  try {
    const started = await startTick(tick, run);
    if (started !== 'taken') return run.report(started, undefined);
    const error = await work(run);
    return await concludeTick(run, error);
  } catch (error) {
    if (error instanceof LeaseLost) return run.report('overtaken', undefined);
    const failure = failureOf(error);
    if (failure === undefined || isLackOfAccess(error)) throw error;
    return run.report('done', failure);
  }
}

/** @returns what ended the work early, unless that was the deadline. */
async function work(run: TickRun): Promise<Error | undefined> {
  try {
    await run.tokenGuard.proveIfHeld();
    await pollUnlessItFails(run);
    await walkWhileTime(run);
    return run.pollFailure;
  } catch (error) {
    if (error instanceof DeadlineReached) return run.pollFailure;
    // Nothing was too wide for the tick.
    run.unfinished = undefined;
    if (error instanceof SourceHeld) return undefined;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return failure;
  }
}

/** The failures that are the service's or its access's, and that the next tick may find mended. */
function failureOf(error: unknown): Error | undefined {
  return error instanceof SourceRefused ||
    error instanceof ReturnsServiceError ||
    error instanceof DeadlineReached ||
    isLackOfAccess(error)
    ? error
    : undefined;
}

/** Whether nothing could be sent at all: somebody has to set the token, or the address, right. */
function isLackOfAccess(error: unknown): error is Error {
  return (
    error instanceof TokenUnavailable ||
    error instanceof InvalidTokenError ||
    error instanceof InvalidBaseUrlError
  );
}
