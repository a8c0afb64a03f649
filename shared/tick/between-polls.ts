import { MILLISECOND } from '../instant.ts';
import type { FetchPage } from '../reading/page.ts';
import { pollOnce } from './poll-once.ts';
import type { TickRun } from './tick-run.ts';

/** Pages of a walk follow each other: their requests are booked together. */
const EXPECTED_PAGES = 16;

/** Makes sure that no walk, however long, delays the polls. Call it before each of the walk's requests. */
export function createPollWhenDue(run: TickRun): () => Promise<void> {
  const { clock, settings } = run.session;
  const interval = settings.intervalMs * MILLISECOND;
  let nextPollAt = clock.elapsed() + interval;
  return async function pollWhenDue() {
    if (clock.elapsed() < nextPollAt) return;
    nextPollAt = clock.elapsed() + interval;
    await pollOnce(run);
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
