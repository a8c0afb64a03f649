import { type Instant, MILLISECOND } from '../instant.ts';
import { FEWEST_RANGE_PAGES, MAX_RANGE_PAGES } from '../limits.ts';
import { poll } from '../reading/poll.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { arePollsBlind } from './blind-polls.ts';
import { askForWalk, notePollByUpdate, pollsByWalk } from './poll-by-walk.ts';
import { createNews } from './read-news.ts';
import { notBeyondNow } from './stamps-fall-back.ts';
import { type SweepOn, sweepingBefore } from './sweep.ts';
import type { TickRun } from './tick-run.ts';

/** Reads and saves recent updates, moves the settled instant as far as proved, and notes how fast requests went. */
export async function pollOnce(run: TickRun, sweepOn: SweepOn): Promise<void> {
  const { clock, paces } = run.session;
  const startedAt = clock.elapsed();
  const before = run.requestsSent('poll', 'covering');
  try {
    await run.within('poll', () => readWhatIsNew(run, sweepOn));
  } finally {
    paces.poll.note(run.requestsSent('poll', 'covering') - before, clock.elapsed() - startedAt);
  }
}

/** Polls once. A failure that may be due to the request does not end the tick: walks send other requests. */
export async function pollAndNoteFailure(run: TickRun, sweepOn: SweepOn): Promise<void> {
  try {
    await pollOnce(run, sweepOn);
    run.pollFailure = undefined;
  } catch (error) {
    if (!mayBeAboutRequest(error)) throw error;
    run.isComplete = false;
    run.pollFailure = error;
  }
}

async function readWhatIsNew(run: TickRun, sweepOn: SweepOn): Promise<void> {
  const { session } = run;
  const { settings, serviceClock, clock, paces } = session;
  const lookback = settings.lookbackMs * MILLISECOND;
  run.pollsAreBlind = await arePollsBlind(run);
  if (serviceClock.isKnown()) run.update((state) => notBeyondNow(state, serviceClock.now().atMost, lookback));
  const settledBefore = run.state.settledThrough;
  const progress = (settledThrough: Instant, pollWidth: number) =>
    run.update((state) => ({
      ...state,
      // A sweep between the poll's requests may have found that the stamps fell back.
      settledThrough:
        run.pollsAreBlind || state.settledThrough < settledBefore ? state.settledThrough : settledThrough,
      pollWidth,
    }));
  const news = createNews(run);
  const expectsLittle = session.expectation.begin();
  const before = run.requestsSent('poll', 'covering');
  const recorder = run.recorder('poll');
  const result = await poll({
    fetch: run.fetchAndLearn('poll'),
    fetchToCover: sweepingBefore(run.fetchAndLearn('covering'), sweepOn),
    take: recorder.take,
    trustsShortPages: run.state.fullPageSeen,
    depth: run.depth,
    maxPages: pagesOfRange(paces.poll.requestsIn(run.duration)),
    settledThrough: settledBefore,
    stamps: () => run.stamps,
    now: () => serviceClock.now().atLeast,
    knowsTime: serviceClock.isKnown,
    lookback,
    unsavedFrom: recorder.unsavedFrom,
    readNews: news.read,
    areNewsDue: news.isDue,
    // Blind polls prove nothing by covering a range, so they leave that time to the walk.
    isByWalk: () => run.pollsAreBlind || pollsByWalk(run),
    expectsLittle,
    rangeWidth: run.state.pollWidth,
    hasTimeFor: (pages) => paces.poll.requestsIn(session.deadline - clock.elapsed()) >= pages,
    onCovered({ settledThrough, rangeWidth }) {
      run.noteCovered();
      progress(settledThrough, rangeWidth);
    },
  });
  session.expectation.end(result.wasLittle);
  run.polls += 1;
  const { settledThrough, rangeWidth } = result;
  progress(settledThrough, rangeWidth);
  if (!result.isComplete && pollsByWalk(run)) return askForWalk(run);
  run.isComplete = result.isComplete && !run.pollsAreBlind;
  run.unstable = result.unstable;
  notePollByUpdate(run, run.requestsSent('poll', 'covering') - before, result.isComplete);
}

/** Half of what a tick manages, but at least 8 pages. If a tick manages fewer, conclude-tick.ts halves the range. */
function pagesOfRange(managed: number): number {
  return Math.min(Math.max(Math.floor(managed / 2), FEWEST_RANGE_PAGES), MAX_RANGE_PAGES);
}
