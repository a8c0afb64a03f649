// The use case, top to bottom. A tick takes the source's lease, lets the lanes read what is due, and ends when nothing is
// due any more or its time is over. Everything that it read is saved by then; rounds under way go on in the next tick.

import { findHold } from './guarding/holds.ts';
import { SourceHeld } from './guarding/source-held.ts';
import { MILLISECOND } from './instant.ts';
import { concludeTick } from './lanes/conclude-tick.ts';
import { findOrigin } from './lanes/find-origin.ts';
import { createLookUpLane } from './lanes/look-ups.ts';
import { createFreshLane, createLateLane } from './lanes/poll-lanes.ts';
import { runLanes } from './lanes/run-lanes.ts';
import { startTick, type Tick } from './lanes/start-tick.ts';
import { createTickRun, type TickRun } from './lanes/tick-run.ts';
import { createWalkLane } from './lanes/walk-lanes.ts';
import { DeadlineReached, isFailure } from './pacing/errors.ts';
import { NOTHING_RECORDED, reportTick, type TickReport } from './reporting/tick-report.ts';
import { ReturnsServiceError } from './returns-service/errors.ts';
import { LeaseLost } from './source/source-cell.ts';
import type { SourceSession } from './source/source-session.ts';

/**
 * Runs one tick of a source and reports what it did.
 *
 * @throws RestoredStateError if the state is in other tables than those it was created in; what the stores throw:
 *   nothing is lost then, but the tick must be seen to have failed
 */
export async function pollSource(tick: Tick, session: SourceSession): Promise<TickReport> {
  session.deadline = session.clock.elapsed() + tick.durationMs * MILLISECOND;
  const before = { ...session.requests.counters };
  const report = ({ polls, recorder, state }: TickRun, error?: Error) =>
    reportTick(session, 'done', before, { polls, counts: recorder.counts, error, state });
  const run = createTickRun(session, (each) => session.onProgress?.(report(each)));
  const stop = () => run.stop();
  session.signal?.addEventListener('abort', stop, { once: true });
  if (session.signal?.aborted === true) run.stop();
  const nothing = { polls: 0, counts: NOTHING_RECORDED, error: undefined, state: undefined };
  try {
    const started = await startTick(tick, run);
    if (started !== 'taken') return reportTick(session, started, before, nothing);
    const error = await work(run);
    await concludeTick(run, error);
    return report(run, error);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    return reportTick(session, 'overtaken', before, { ...nothing, counts: run.recorder.counts });
  } finally {
    session.signal?.removeEventListener('abort', stop);
  }
}

/** @returns the failure that ended the work early; or the last one of a request, if no poll was complete */
async function work(run: TickRun): Promise<Error | undefined> {
  try {
    // While the source is held, only known groups are read.
    if (findHold(run.state, 'other_store') !== undefined) await run.identity.prove();
    await findOrigin(run);
    await runLanes(run, [
      createFreshLane(run),
      createLateLane(run),
      createWalkLane(run, 'recent'),
      createWalkLane(run, 'older'),
      createLookUpLane(run),
    ]);
  } catch (error) {
    if (error instanceof SourceHeld || error instanceof DeadlineReached) return undefined;
    if (isFailure(error)) return error;
    throw error;
  }
  return run.polls === 0 && run.failure instanceof ReturnsServiceError ? run.failure : undefined;
}
