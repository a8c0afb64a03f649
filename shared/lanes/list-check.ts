// The list check: a part of a walk that was read completely has to show every known group of its interval. Groups that
// are missing are looked up by their ids. If they are too many, the service probably hides them: nothing is removed, and
// it has to prove that it still is this store.

import { admitRemovals } from '../guarding/removals.ts';
import { sampleMissing } from '../guarding/sample-change.ts';
import { MILLISECOND } from '../instant.ts';
import type { KnownGroup } from '../ports.ts';
import { isWithin } from '../reading/range.ts';
import { FEWEST_ROWS, forgetRoom } from '../reading/room.ts';
import type { CompletePart } from '../reading/round-context.ts';
import { noteLookUp } from '../recording/look-up-queue.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

/**
 * Queues look-ups of the known groups that a part lacks.
 *
 * @returns how many it lacks
 * @throws SourceHeld if known groups are not found by id either
 */
export async function checkList(
  run: TickRun,
  { range, shown, sentAt }: CompletePart,
  known: ReadonlyMap<number, KnownGroup>,
): Promise<number> {
  const suspects = [...known.values()].filter(
    ({ groupId, createdAt }) => !shown.has(groupId) && isWithin(createdAt, range),
  );
  if (suspects.length === 0) return 0;
  const missing = await expectedAt(
    run,
    suspects.map(({ groupId }) => groupId),
    sentAt,
  );
  if (missing.length === 0) return 0;
  const now = run.now();
  // A page may have become shorter; one missing group is no sign of it.
  if (missing.length > 1 && shown.size >= FEWEST_ROWS)
    run.update((state) => ({ ...state, room: forgetRoom(state.room) }));
  const { recent, older } = run.state.lanes;
  const total = (recent.round?.missing ?? 0) + (older.round?.missing ?? 0) + missing.length;
  const { state, isAdmitted } = admitRemovals(run.state, total, missing.map(sampleMissing), now);
  run.update(() => state);
  if (isAdmitted)
    for (const groupId of missing)
      run.update((before) => noteLookUp(before, { groupId, dueAt: now, isMissing: true }));
  else await run.identity.proveSince(sentAt, new Set());
  return missing.length;
}

/** The groups that the answer should show: not those that another answer showed less than `settle` before it. */
async function expectedAt(run: TickRun, ids: readonly number[], sentAt: number): Promise<number[]> {
  const settle = run.session.settings.settleMs * MILLISECOND;
  const snapshots = await run.session.store.load(sourceOf(run), ids);
  return ids.filter((id) => {
    const snapshot = snapshots.get(id);
    return (
      snapshot !== undefined && snapshot.removedAt === undefined && snapshot.receivedAt <= sentAt - settle
    );
  });
}
