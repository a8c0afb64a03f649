// Groups that are known and were not in a range that was read to its proved end. That proves nothing yet (absence
// from a list is never a removal): each is looked up by its id, and told as removed when two look-ups, `settle`
// apart, found nothing while another known group is still found. Where too many are missing it looks like another
// store, not like removals: nothing is told.
import { removeGroup } from '../comparing/remove-group.ts';
import type { Snapshot } from '../comparing/snapshot.ts';
import { isSettled } from '../comparing/take-reading.ts';
import { MILLISECOND } from '../instant.ts';
import type { Interval, Page } from '../reading/page.ts';
import { mostRemovals, type Tier } from '../reconciliation-plan.ts';
import type { Recorder } from '../record-pages.ts';
import type { TickRun } from './tick-run.ts';

export interface MissingOptions {
  readonly tier: Tier;
  readonly range: Interval;
  /** Ids that the range showed. */
  readonly seen: ReadonlySet<number>;
  readonly recorder: Recorder;
  readonly pollWhenDue: () => Promise<void>;
}

/** @returns how many groups count as gone: those told as removed, or all that are missing where that is too many */
export async function lookForMissing(run: TickRun, options: MissingOptions): Promise<number> {
  const missing = await findMissing(run, options);
  if (missing.length === 0) return 0;
  const room = mostRemovals(run.state) - run.state.reconciliation[options.tier].removals;
  if (missing.length > room) {
    run.held ??= `${missing.length} known return groups are missing from a range at once.`;
    return missing.length;
  }
  let removals = 0;
  for (const groupId of missing) {
    await options.pollWhenDue();
    if (await isToldRemoved(run, groupId, options)) removals += 1;
  }
  return removals;
}

async function findMissing(run: TickRun, { range, seen }: MissingOptions): Promise<number[]> {
  const { store, settings } = run.session;
  const source = { source: settings.name, generation: run.state.generation };
  const missing: number[] = [];
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = range;
  for await (const { groupId } of store.knownCreatedBetween(source, from, to)) {
    if (!seen.has(groupId)) missing.push(groupId);
  }
  return missing;
}

async function isToldRemoved(run: TickRun, groupId: number, options: MissingOptions): Promise<boolean> {
  const page = await run.lookUp(groupId);
  if (page.rows.length > 0) {
    await options.recorder.take(page);
    return false;
  }
  const { store, settings } = run.session;
  const key = { source: settings.name, generation: run.state.generation, group: groupId };
  const snapshot = (await store.load(key, [groupId])).get(groupId);
  if (snapshot === undefined || snapshot.removedAt !== undefined) return false;
  const settle = settings.settleMs * MILLISECOND;
  const absentSince = snapshot.absences[absenceKey(groupId)];
  if (absentSince === undefined) {
    await store.saveAll(key, [{ expectedVersion: snapshot.version, snapshot: noteAbsence(snapshot, page) }]);
    // Else a poll that shows it again would take it for unchanged, and never take the note back.
    run.session.memory.forget(groupId);
    return false;
  }
  if (!isSettled(page.sentAt, absentSince, settle) || !(await isCanaryFound(run, options))) return false;
  const vain = { sentAt: page.sentAt, receivedAt: page.receivedAt, through: 'reconciliation' as const };
  const save = removeGroup(snapshot, vain, { ...key, settle });
  if (save === undefined || (await store.save(key, save)) === 'conflict') return false;
  run.session.memory.forget(groupId);
  return true;
}

function absenceKey(groupId: number): string {
  return `return_group/${groupId}`;
}

/** The first vain look-up, kept where the second will find it; a reading that shows the group again takes it back. */
function noteAbsence(snapshot: Snapshot, { receivedAt }: Page): Snapshot {
  const absences = { ...snapshot.absences, [absenceKey(snapshot.groupId)]: receivedAt };
  return { ...snapshot, version: snapshot.version + 1, absences };
}

/** Whether the service still finds a group that it has just shown: else it is the service that is not itself. */
async function isCanaryFound(run: TickRun, { seen }: MissingOptions): Promise<boolean> {
  const canary = [...seen].at(-1) ?? run.lastSeenId;
  return canary !== undefined && (await run.lookUp(canary)).rows.length > 0;
}
