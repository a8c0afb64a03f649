import { MILLISECOND } from '../instant.ts';
import { MAX_RANGE_PAGES } from '../limits.ts';
import { poll } from '../reading/poll.ts';
import type { TickRun } from './tick-run.ts';

/** Reads and saves what was updated lately, and moves the settled instant as far as that was proved. */
export async function pollOnce(run: TickRun): Promise<void> {
  const { session } = run;
  const { settings, serviceClock } = session;
  const recorder = run.recorder('poll');
  const outer = run.unfinished;
  run.unfinished = 'poll';
  const { expectsLittle } = session;
  // A poll that is cut off found more than it had time for: the next one goes range by range.
  session.expectsLittle = false;
  const result = await poll({
    fetch: run.fetch('poll'),
    take: recorder.take,
    trustsShortPages: run.state.fullPageSeen,
    maxPages: MAX_RANGE_PAGES,
    settledThrough: run.state.settledThrough,
    stamps: () => run.stamps,
    now: () => serviceClock.now().atLeast,
    knowsTime: serviceClock.isKnown,
    lookback: settings.lookbackMs * MILLISECOND,
    unsavedFrom: recorder.unsavedFrom,
    expectsLittle,
    rangeWidth: run.state.pollWidth,
    onCovered({ settledThrough, rangeWidth }) {
      run.unfinished = undefined;
      run.state = { ...run.state, settledThrough, pollWidth: rangeWidth };
    },
  });
  session.expectsLittle = result.wasLittle;
  run.unfinished = outer;
  run.polls += 1;
  run.isComplete = result.isComplete;
  run.unstable = result.unstable;
  run.state = { ...run.state, settledThrough: result.settledThrough, pollWidth: result.rangeWidth };
}
