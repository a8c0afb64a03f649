import { MILLISECOND } from '../instant.ts';
import type { FetchPage } from '../reading/page.ts';
import { pollOnce } from './poll-once.ts';
import type { TickRun } from './tick-run.ts';

/** Pages of a walk follow each other: their requests are booked together. */
const EXPECTED_PAGES = 16;

/** Requests of polls to one of a walk's where polls take all the time there is: a fifth is always the walk's. */
const POLL_REQUESTS_TO_ONE = 4;

/**
 * Makes sure that no walk, however long, delays the polls, and that no poll, however long, keeps a walk from getting
 * on. Call it before each of the walk's requests.
 */
export function createPollWhenDue(run: TickRun, poll = pollOnce): () => Promise<void> {
  const { clock, settings } = run.session;
  const interval = settings.intervalMs * MILLISECOND;
  let nextPollAt = clock.elapsed() + interval;
  let owedToWalk = 0;
  return async function pollWhenDue() {
    owedToWalk -= 1;
    if (owedToWalk > 0 || clock.elapsed() < nextPollAt) return;
    nextPollAt = clock.elapsed() + interval;
    const before = run.requestsSent();
    await poll(run);
    owedToWalk = Math.ceil((run.requestsSent() - before) / POLL_REQUESTS_TO_ONE);
  };
}

/** The pages of a walk, with polls in between as they are due. */
export function createFetchBetweenPolls(run: TickRun, pollWhenDue: () => Promise<void>): FetchPage {
  const fetch = run.fetch('reconciliation');
  return async (request) => {
    await pollWhenDue();
    return fetch({ expect: EXPECTED_PAGES, ...request });
  };
}
