import { MILLISECOND } from '../instant.ts';
import type { FetchPage } from '../reading/page.ts';
import { fitsCycle } from '../source/reconciliation-plan.ts';
import { pollUnlessItFails } from './poll-once.ts';
import type { TickRun } from './tick-run.ts';

/** Pages of a walk follow each other: their requests are booked together. */
const EXPECTED_PAGES = 16;

/** Requests of polls to one of a walk's where polls take all the time there is: a fifth is always the walk's. */
const POLL_REQUESTS_TO_ONE = 4;

/** A walk that is to fit its cycle gets as many as the poll took, up to about as many as the walk of a small store. */
const MOST_OWED_IN_KIND = 8;

/**
 * Makes sure that no walk, however long, delays the polls, and that no poll, however long, keeps a walk from getting
 * on. Call it before each of the walk's requests.
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

/** The pages of a walk, with polls in between as they are due. */
export function createFetchBetweenPolls(run: TickRun, pollWhenDue: () => Promise<void>): FetchPage {
  const fetch = run.fetch('reconciliation');
  return async (request) => {
    await pollWhenDue();
    return fetch({ expect: EXPECTED_PAGES, ...request });
  };
}
