// The baseline, beside live polling: between two of its pages the next poll is done when it is due.
import { MILLISECOND } from '../instant.ts';
import { MAX_RANGE_PAGES } from '../limits.ts';
import type { FetchPage } from '../reading/page.ts';
import { walkOn } from '../reading/walk.ts';
import { completeBaseline } from './complete-baseline.ts';
import { pollOnce } from './poll-once.ts';
import type { TickRun } from './tick-run.ts';

/** Walks on until there is nothing left to walk or no time; the latter shows as DeadlineReached. */
export async function walkWhileTime(run: TickRun): Promise<void> {
  const { clock, settings, serviceClock } = run.session;
  const interval = settings.intervalMs * MILLISECOND;
  let nextPollAt = clock.elapsed() + interval;
  const fetch = run.fetch('reconciliation');
  const fetchBetweenPolls: FetchPage = async (request) => {
    if (clock.elapsed() >= nextPollAt) {
      nextPollAt = clock.elapsed() + interval;
      await pollOnce(run);
    }
    return fetch({ expect: EXPECTED_PAGES, ...request });
  };
  while (run.state.baseline.status === 'running') {
    const recorder = run.recorder('baseline');
    const before = run.requestsSent();
    const { coveredThrough, rangeWidth } = run.state.baseline;
    const step = await walkOn(
      { coveredThrough, rangeWidth },
      {
        fetch: fetchBetweenPolls,
        take: recorder.take,
        maxPages: MAX_RANGE_PAGES,
        stamps: () => run.stamps,
        now: () => serviceClock.now().atLeast,
      },
    );
    run.hasCovered = true;
    const baseline = {
      ...run.state.baseline,
      ...step.position,
      groups: run.state.baseline.groups + recorder.counts.firstSeen,
      requests: run.state.baseline.requests + run.requestsSent() - before,
    };
    run.state = { ...run.state, baseline };
    if (step.isDone) await completeBaseline(run);
    await run.save();
    run.progress();
  }
}

/** Pages of a walk follow each other: their requests are booked together. */
const EXPECTED_PAGES = 16;
