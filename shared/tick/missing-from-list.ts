// Whether lists still show a group that its look-up did not find: an index by id may lag behind, or lack it. Groups of a
// range that was read to its proved end have been missing from a list already. Open groups that are looked up one by one
// have not, so the moment of their creation is read to its proved end.
import type { Snapshot } from '../comparing/snapshot.ts';
import { MAX_RANGE_PAGES, NARROWEST_RANGE } from '../limits.ts';
import { coverRange } from '../reading/cover-range.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import type { Recorder } from '../recording/record-pages.ts';
import { unlessItFails } from './look-up.ts';
import { noteSetAside } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

export interface ListOptions {
  readonly fetch: FetchPage;
  readonly recorder: Recorder;
}

/**
 * Reads the group from the list of those created at its moment, and records it if it is there. Sets it aside if that
 * list can't be proved.
 *
 * @returns true only if the list shows no such group up to its proved end
 */
export async function isMissingFromList(
  run: TickRun,
  { groupId, createdAt }: Snapshot,
  { fetch, recorder }: ListOptions,
): Promise<boolean> {
  let isShown = false;
  const reader = {
    fetch,
    async take(page: Page) {
      await recorder.take(page);
      isShown ||= page.rows.some((row) => idOf(row) === groupId);
    },
    trustsShortPages: false,
    maxPages: MAX_RANGE_PAGES,
    depth: run.depth,
  };
  const created = { from: createdAt - NARROWEST_RANGE / 2, to: createdAt + NARROWEST_RANGE / 2 };
  const reason = 'its look-up by id finds nothing, and the list at its creation has no proved end';
  const coverage = await unlessItFails(run, groupId, {
    ask: () => coverRange({ created }, reader),
    reason: () => reason,
  });
  if (isShown || coverage === undefined) return false;
  if (coverage.outcome === 'proved') return true;
  const now = run.session.serviceClock.now().atMost;
  run.update((state) => noteSetAside(state, { id: groupId, reason, digest: '' }, now));
  return false;
}

function idOf(row: Page['rows'][number]): number | undefined {
  return row.kind === 'readable' ? row.group.id : row.id;
}
