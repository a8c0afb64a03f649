// Known groups that were missing from a range read to its proved end. Absence from a list is never a removal: each
// group is looked up by its id, and published as removed when two look-ups, `settle` apart, found nothing while another
// known group is still found. Too many missing groups look like another store: none is published as removed.
import { absentSince, noteAbsence } from '../comparing/group-absence.ts';
import { removeGroup } from '../comparing/remove-group.ts';
import type { Snapshot } from '../comparing/snapshot.ts';
import { isSettled } from '../comparing/stale-reads.ts';
import {
  admitMissing,
  areRemovalsHeld,
  isKnownRangeEmpty,
  permittedRemovals,
  useRemovalPermit,
} from '../guarding/guard-missing.ts';
import { sampleMissingGroups } from '../guarding/hold-samples.ts';
import { type Instant, MILLISECOND } from '../instant.ts';
import { distrustEnds } from '../reading/list-depth.ts';
import type { Interval } from '../reading/page.ts';
import type { Recorder } from '../recording/record-pages.ts';
import { mostRemovals, withCycle } from '../source/reconciliation-plan.ts';
import type { Tier } from '../source/source-state.ts';
import { type Confirmation, createConfirmation } from './confirm-removals.ts';
import { lookUpOrSetAside, startingAnywhere } from './look-up.ts';
import type { NotFound } from './read-around.ts';
import { noteSetAside, takeBack } from './set-aside.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

export interface MissingOptions {
  readonly tier: Tier;
  /** Ids of the groups that were shown. */
  readonly seen: ReadonlySet<number>;
  readonly recorder: Recorder;
  /**
   * Whether lists show no known group near the range.
   *
   * @default whether they show none of the range, if it has enough of them
   */
  readonly isHidden?: boolean;
  /** A look-up that was just made and found nothing. */
  readonly notFound?: NotFound | undefined;
  readonly pollWhenDue: () => Promise<void>;
}

/** `again`: removals were released and need a second look-up, `settle` later. */
export type SearchOutcome = 'done' | 'again';

/**
 * Looks up the known groups of a range that were not shown, and publishes the removals that this proves; if they are too
 * many, holds them instead.
 *
 * @param range as far as it was read to a proved end, in the digits in which it was requested
 */
export async function lookForMissing(
  run: TickRun,
  range: Interval | undefined,
  options: MissingOptions,
): Promise<SearchOutcome> {
  if (range === undefined) return 'done';
  const { known, missing } = await findMissing(run, range, options);
  run.update((state) => {
    const cycle = state.reconciliation[options.tier];
    return withCycle(state, options.tier, { ...cycle, known: cycle.known + known });
  });
  if (missing.length === 0) return 'done';
  const samples = sampleMissingGroups(missing);
  const counted = await countedBefore(run, missing, options.tier);
  const { tier } = options;
  const { isHidden = isKnownRangeEmpty({ known, missing: missing.length }) } = options;
  const found = { tier, from: range.from, missing: missing.length, isHidden, counted, samples };
  // If no known group is found by its id either, the whole store is in doubt, not just this range.
  const confirmation = createConfirmation(run, options.seen, new Set(missing));
  if (isHidden && (await confirmation.isAnyGroupFound()) === false) return 'done';
  const { state, isAdmitted } = admitMissing(run.state, found, run.session.serviceClock.now().atMost);
  run.update(() => state);
  if (!isAdmitted) return 'done';
  let missed: SearchOutcome = 'done';
  for (const groupId of startingAnywhere(missing, run.session.random)) {
    await options.pollWhenDue();
    if ((await lookForGroup(run, groupId, options, confirmation)) === 'again') missed = 'again';
  }
  return missed;
}

/** How many of the groups a tick of this cycle has counted already: it was cut off, so their range is read again. */
async function countedBefore(run: TickRun, missing: readonly number[], tier: Tier): Promise<number> {
  const { startedAt, removals } = run.state.reconciliation[tier];
  // More are held in any case.
  if (removals === 0 || missing.length > mostRemovals(run.state)) return 0;
  const known = await run.session.store.load(sourceOf(run), missing);
  return [...known.values()].filter((snapshot) => wasNotFound(snapshot, startedAt)).length;
}

/** Whether a look-up of this cycle has not found the group. */
function wasNotFound(snapshot: Snapshot, startedAt: Instant): boolean {
  return (absentSince(snapshot) ?? Number.NEGATIVE_INFINITY) >= startedAt;
}

function countGone(run: TickRun, tier: Tier): void {
  run.update((state) => {
    const cycle = state.reconciliation[tier];
    return withCycle(state, tier, { ...cycle, removals: cycle.removals + 1 });
  });
}

async function findMissing(run: TickRun, range: Interval, { seen }: MissingOptions) {
  const { store } = run.session;
  const missing: number[] = [];
  let known = 0;
  // Infinite: absurd stamps lie beyond all safe integers.
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  for await (const { groupId, createdAt } of store.knownCreatedBetween(sourceOf(run), from, to)) {
    // A group at the end belongs to the next range: the service may leave it out of this one.
    if (createdAt >= to) break;
    known += 1;
    if (!seen.has(groupId)) missing.push(groupId);
  }
  return { known, missing };
}

/** Looks a group up, and publishes its removal when the second look-up does not find it either. */
async function lookForGroup(
  run: TickRun,
  groupId: number,
  options: MissingOptions,
  confirmation: Confirmation,
): Promise<SearchOutcome> {
  const { store, settings } = run.session;
  const key = { source: settings.name, generation: run.state.generation, group: groupId };
  const snapshot = (await store.load(key, [groupId])).get(groupId);
  if (snapshot === undefined || snapshot.removedAt !== undefined) return 'done';
  const since = absentSince(snapshot);
  const { startedAt } = run.state.reconciliation[options.tier];
  // A tick that was cut off already looked for it in this cycle.
  const isReleased = permittedRemovals(run.state, options.tier) > 0;
  if (wasNotFound(snapshot, startedAt) && !isReleased) return 'done';
  const known = options.notFound?.groupId === groupId ? options.notFound.page : undefined;
  const page = known ?? (await lookUpOrSetAside(run, options.tier, groupId));
  if (page === undefined) return 'done';
  const { seenWith } = run.state.guarding;
  if (page.rows.length > 0) {
    // A newer group may have been created after its range was read: a range that ends in the future holds the present.
    if (snapshot.createdAt < startedAt) distrustProof(run, groupId);
    await options.recorder.take(page);
    return 'done';
  }
  const isProved = since !== undefined && isSettled(page.sentAt, since, settings.settleMs * MILLISECOND);
  const mayBeRemoved = isProved && !areRemovalsHeld(run.state);
  // Before the group is counted: if the tick ends here, the next one looks it up again.
  const isTrusted = mayBeRemoved && (await confirmation.isGroupFound());
  if (isTrusted === undefined) {
    const reason =
      'it seems to be removed, and the look-ups by id of other groups, which would confirm that, fail';
    run.update((state) => noteSetAside(state, { id: groupId, reason, digest: '' }, page.receivedAt));
    return 'done';
  }
  if (!isReleased) countGone(run, options.tier);
  if (since === undefined) {
    await store.saveAll(key, [
      { expectedVersion: snapshot.version, snapshot: noteAbsence(snapshot, page.receivedAt) },
    ]);
    // Otherwise a poll that shows it again would skip it as unchanged and never clear the note.
    run.session.memory.forget(groupId);
    run.walked.add(options.tier);
    return isReleased ? 'again' : 'done';
  }
  if (!mayBeRemoved) return isReleased && !areRemovalsHeld(run.state) ? 'again' : 'done';
  if (!isTrusted) return 'done';
  // A new token proves nothing about the groups that the previous one showed.
  if (run.state.guarding.seenWith !== seenWith) return 'done';
  const notFound = { sentAt: page.sentAt, receivedAt: page.receivedAt, through: 'reconciliation' as const };
  const save = removeGroup(snapshot, notFound, { ...key, settle: settings.settleMs * MILLISECOND });
  if (save === undefined || (await store.save(key, save)) === 'conflict') return 'done';
  run.session.memory.forget(groupId);
  run.walked.add(options.tier);
  run.update((state) => useRemovalPermit(takeBack(state, [groupId]), options.tier));
  return 'done';
}

const EVER: Interval = { from: undefined, to: undefined };

/** The range lacked this group although its end was proved. */
function distrustProof(run: TickRun, groupId: number): void {
  const { log, settings } = run.session;
  log.debug('A known group was missing from a range whose end was proved.', {
    source: settings.name,
    group: groupId,
  });
  run.depth.learn({ created: EVER }, distrustEnds);
}
