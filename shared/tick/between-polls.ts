import { MILLISECOND } from '../instant.ts';
import type { FetchPage } from '../reading/page.ts';
import { fitsCycle } from '../source/reconciliation-plan.ts';
import { pollUnlessItFails } from './poll-once.ts';
import type { TickRun } from './tick-run.ts';

/** A walk's pages follow each other, so their requests are booked together. */
const EXPECTED_PAGES = 16;

/** Poll requests per walk request when polls take all the time: a fifth is always left to the walk. */
const POLL_REQUESTS_TO_ONE = 4;

/** A walk that fits its cycle gets as many requests as the poll took, up to this: about the walk of a small store. */
const MOST_OWED_IN_KIND = 8;

/**
 * Returns a function that polls when a poll is due; call it before each request of a walk. A long walk then never
 * delays the polls, and a long poll never stops a walk.
 */
export function createPollWhenDue(run: TickRun, poll = pollUnlessItFails): () => Promise<void> {
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
    owedToWalk = owedFor(run, run.requestsSent() - before);
  };
}

function owedFor({ state, session }: TickRun, sent: number): number {
  const fits = state.baseline.status === 'completed' && fitsCycle(state, session.settings);
  return Math.max(Math.ceil(sent / POLL_REQUESTS_TO_ONE), fits ? Math.min(sent, MOST_OWED_IN_KIND) : 0);
}

/** Fetches a walk's pages and polls in between when a poll is due. */
export function createFetchBetweenPolls(run: TickRun, pollWhenDue: () => Promise<void>): FetchPage {
  const fetch = run.fetchAndLearn('reconciliation');
  return async (request) => {
    await pollWhenDue();
    return fetch({ expect: EXPECTED_PAGES, ...request });
  };
}
