import { MILLISECOND } from '../instant.ts';
import type { FetchPage } from '../reading/page.ts';
import { mayBeAboutRequest, RequestTimedOutError } from '../returns-service/errors.ts';
import { fitsCycle } from '../source/reconciliation-plan.ts';
import { nextInRhythm } from './next-in-rhythm.ts';
import { pollAndNoteFailure } from './poll-once.ts';
import { createNews, type News } from './read-news.ts';
import { type SweepOn, sweepingBefore } from './sweep.ts';
import type { TickRun } from './tick-run.ts';

/** A walk's pages follow each other, so their requests are booked together. */
const EXPECTED_PAGES = 16;

/** Poll requests per walk request when polls take all the time: a fifth is always left to the walk. */
const POLL_REQUESTS_TO_ONE = 4;

/**
 * Requests that read and prove a range of one page: one for its rows, four for its end. If a fifth of what a tick
 * manages is less, the walk gets this many after the first poll: otherwise each tick would begin the same proof anew,
 * and the walk would never end.
 */
const REQUESTS_OF_ONE_PAGE_RANGE = 5;

/**
 * After each poll a walk that fits its cycle gets as many requests as the poll took, but at most this many (about what
 * the walk of a small store takes), or a quarter of the poll's if that is more.
 */
const MOST_OWED_ONE_TO_ONE = 8;

/**
 * Returns a function that polls when a poll is due, the first time at once; call it before each request of a walk. If a
 * poll comes due while such a request waits for the budget, it runs during that wait. So a long walk never delays the
 * polls, and a long poll never stops a walk.
 */
export function createPollWhenDue(
  run: TickRun,
  sweepOn: SweepOn,
  poll = pollAndNoteFailure,
): () => Promise<void> {
  const { session } = run;
  const { clock, settings } = session;
  const interval = settings.intervalMs * MILLISECOND;
  const news = createNews(run);
  let nextPollAt = clock.elapsed();
  let owedToWalk = 0;
  let owedAfterNews = 0;
  let owedToProof = managesNoProof(run) ? REQUESTS_OF_ONE_PAGE_RANGE : 0;
  let isPolling = false;

  /** When a poll is due or, while the walk is owed requests, the news. */
  function dueAt(): number {
    if (isPolling || (owedToWalk > 0 && owedAfterNews > 0)) return Number.POSITIVE_INFINITY;
    return owedToWalk > 0 ? Math.max(nextPollAt, news.dueAt()) : nextPollAt;
  }

  async function pollNow(): Promise<void> {
    const begunAt = clock.elapsed();
    if (owedToWalk > 0) {
      owedAfterNews = Math.ceil((await readNewsOnce(news)) / POLL_REQUESTS_TO_ONE);
      return;
    }
    nextPollAt = nextInRhythm(nextPollAt, begunAt, interval);
    const before = run.requestsSent();
    await poll(run, sweepOn);
    // A poll that hangs sends few requests, so the walk would be owed few. It gets as much time as the poll took.
    if (run.pollFailure instanceof RequestTimedOutError)
      nextPollAt = Math.max(nextPollAt, 2 * clock.elapsed() - begunAt);
    owedToWalk = Math.max(owedFor(run, run.requestsSent() - before), owedToProof);
    owedToProof = 0;
  }

  async function pollIfDue(): Promise<void> {
    if (clock.elapsed() < dueAt()) return;
    isPolling = true;
    try {
      await pollNow();
    } finally {
      isPolling = false;
    }
  }

  session.polls = { dueAt, run: pollIfDue };
  return async function pollWhenDue() {
    owedToWalk -= 1;
    owedAfterNews -= 1;
    await pollIfDue();
  };
}

/**
 * Reads the news once. The requests that a walk gets after a long poll delay the next poll, but the news only a little.
 *
 * @returns the number of requests
 */
async function readNewsOnce(news: News): Promise<number> {
  try {
    return await news.read(Number.POSITIVE_INFINITY);
  } catch (error) {
    // The next poll sends the same request, and reports it if it still fails.
    if (!mayBeAboutRequest(error)) throw error;
    return 1;
  }
}

function managesNoProof({ session, duration }: TickRun): boolean {
  return session.paces.poll.requestsIn(duration) < REQUESTS_OF_ONE_PAGE_RANGE * (POLL_REQUESTS_TO_ONE + 1);
}

function owedFor({ state, session }: TickRun, sent: number): number {
  const fits = state.baseline.status === 'completed' && fitsCycle(state, session.settings);
  return Math.max(Math.ceil(sent / POLL_REQUESTS_TO_ONE), fits ? Math.min(sent, MOST_OWED_ONE_TO_ONE) : 0);
}

/** Fetches a walk's pages; in between it polls when a poll is due, and sweeps. */
export function createFetchBetweenPolls(
  run: TickRun,
  pollWhenDue: () => Promise<void>,
  sweepOn: SweepOn,
): FetchPage {
  const fetch = sweepingBefore(run.fetchAndLearn('reconciliation'), sweepOn);
  return async (request) => {
    await pollWhenDue();
    return fetch({ expect: EXPECTED_PAGES, ...request });
  };
}
