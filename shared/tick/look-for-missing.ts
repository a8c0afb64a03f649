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
import { DEGRADED_AFTER } from '../limits.ts';
import { distrustEnds } from '../reading/list-depth.ts';
import type { Interval } from '../reading/page.ts';
import type { Recorder } from '../recording/record-pages.ts';
import { TooLargeToStoreError } from '../recording/store-errors.ts';
import { type CycleState, type Tier, withCycle } from '../source/cycle-state.ts';
import { keepsToShare } from '../source/reconciliation-plan.ts';
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
  /**
   * Whether the range will be read again in any case, so that it counts only then.
   *
   * @default false
   */
  readonly isReadAgain?: boolean;
  /** A look-up that was just made and found nothing. */
  readonly notFound?: NotFound | undefined;
  readonly pollWhenDue: () => Promise<void>;
}

/** `again`: removals were released and need a second look-up, `settle` later. */
export type SearchOutcome = 'done' | 'again';

/** `absent`: not found, and not published as removed yet. */
type GroupOutcome = SearchOutcome | 'absent';

/**
 * Looks up the known groups of a range that were not shown, and publishes the removals that this proves; if they are
 * too many, holds them instead.
 *
 * @param range as far as it was read to a proved end, in the digits in which it was requested
 */
export async function lookForMissing(
  run: TickRun,
  range: Interval | undefined,
  options: MissingOptions,
): Promise<SearchOutcome> {
  if (range === undefined) return 'done';
  const found = await findMissing(run, range, options);
  const { outcome, absent } =
    found.missing.length === 0 ? NONE_COUNTED : await judgeMissing(run, range, found, options);
  // Last: a range that a tick cuts off, or that is read again, must not count twice.
  const isReadAgain = outcome === 'again' && keepsToShare(run.state, run.session.settings, options.tier);
  if (!(isReadAgain || options.isReadAgain))
    count(run, options.tier, { known: found.known, removals: absent });
  return outcome;
}

interface Judged {
  readonly outcome: SearchOutcome;
  /** How many groups are not found, and not published as removed yet. */
  readonly absent: number;
}

const NONE_COUNTED: Judged = { outcome: 'done', absent: 0 };

interface Found {
  /** How many known groups the range has. */
  readonly known: number;
  /** Those that were not shown. */
  readonly missing: readonly number[];
}

async function judgeMissing(
  run: TickRun,
  range: Interval,
  { known, missing }: Found,
  options: MissingOptions,
): Promise<Judged> {
  const samples = sampleMissingGroups(missing);
  const { tier } = options;
  const { isHidden = isKnownRangeEmpty({ known, missing: missing.length }) } = options;
  const found = { tier, from: range.from, missing: missing.length, isHidden, samples };
  // If no known group is found by its id either, the whole store is in doubt, not just this range.
  const confirmation = createConfirmation(run, options.seen, new Set(missing));
  if (isHidden && (await confirmation.isAnyGroupFound()) === false) return NONE_COUNTED;
  const { state, isAdmitted } = admitMissing(run.state, found, run.session.serviceClock.now().atMost);
  run.update(() => state);
  if (!isAdmitted) return NONE_COUNTED;
  const outcomes: GroupOutcome[] = [];
  for (const groupId of startingAnywhere(missing, run.session.random)) {
    await options.pollWhenDue();
    outcomes.push(await lookForGroup(run, groupId, options, confirmation));
  }
  const absent = outcomes.filter((outcome) => outcome === 'absent').length;
  return { outcome: outcomes.includes('again') ? 'again' : 'done', absent };
}

/** Whether a look-up of this cycle has not found the group. */
function wasNotFound(snapshot: Snapshot, startedAt: Instant): boolean {
  return (absentSince(snapshot) ?? Number.NEGATIVE_INFINITY) >= startedAt;
}

/** Adds to what the cycle has counted. */
function count(run: TickRun, tier: Tier, { known, removals }: Pick<CycleState, 'known' | 'removals'>): void {
  run.update((state) => {
    const cycle = state.reconciliation[tier];
    return withCycle(state, tier, {
      ...cycle,
      known: cycle.known + known,
      removals: cycle.removals + removals,
    });
  });
}

async function findMissing(run: TickRun, range: Interval, { seen }: MissingOptions): Promise<Found> {
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
): Promise<GroupOutcome> {
  const { store, settings } = run.session;
  const key = { source: settings.name, generation: run.state.generation, group: groupId };
  const snapshot = (await store.load(key, [groupId])).get(groupId);
  if (snapshot === undefined || snapshot.removedAt !== undefined) return 'done';
  const since = absentSince(snapshot);
  const { startedAt } = run.state.reconciliation[options.tier];
  const isReleased = permittedRemovals(run.state, options.tier) > 0;
  // Released removals don't use up the room for others.
  const absent: GroupOutcome = isReleased ? 'done' : 'absent';
  // A tick that was cut off already looked for it in this cycle.
  if (wasNotFound(snapshot, startedAt) && !isReleased) return absent;
  const known = options.notFound?.groupId === groupId ? options.notFound.page : undefined;
  const page = known ?? (await lookUpOrSetAside(run, options.tier, groupId));
  if (page === undefined) return 'done';
  const { seenWith } = run.state.guarding;
  if (page.rows.length > 0) {
    // A newer group may have been created after its range was read: the last range reaches beyond the present.
    if (snapshot.createdAt < startedAt) distrustProof(run, groupId);
    await options.recorder.take(page);
    return 'done';
  }
  const isProved = since !== undefined && isSettled(page.sentAt, since, settings.settleMs * MILLISECOND);
  const mayBeRemoved = isProved && !areRemovalsHeld(run.state);
  // Before anything is saved: if the tick ends here, the next one looks the group up again.
  const isTrusted = mayBeRemoved && (await confirmation.isGroupFound());
  if (isTrusted === undefined) {
    const reason =
      'it seems to be removed, and the look-ups by id of other groups, which would confirm that, fail';
    run.update((state) => noteSetAside(state, { id: groupId, reason, digest: '' }, page.receivedAt));
    return 'done';
  }
  if (since === undefined) {
    const noted = { expectedVersion: snapshot.version, snapshot: noteAbsence(snapshot, page.receivedAt) };
    if (!(await isStored(run, store.saveAll(key, [noted])))) return 'done';
    // Otherwise a poll that shows it again would skip it as unchanged and never clear the note.
    run.session.memory.forget(groupId);
    run.walked.add(options.tier);
    return isReleased ? 'again' : absent;
  }
  if (!mayBeRemoved) {
    // Perhaps it was noted while Date was ahead, and is not settled before that moment: the walk can't wait for hours.
    const isSettledSoon = since - page.receivedAt <= DEGRADED_AFTER;
    return isReleased && isSettledSoon && !areRemovalsHeld(run.state) ? 'again' : absent;
  }
  if (!isTrusted) return absent;
  // A new token proves nothing about the groups that the previous one showed.
  if (run.state.guarding.seenWith !== seenWith) return absent;
  const notFound = { sentAt: page.sentAt, receivedAt: page.receivedAt, through: 'reconciliation' as const };
  const save = removeGroup(snapshot, notFound, { ...key, settle: settings.settleMs * MILLISECOND });
  if (save === undefined || (await store.save(key, save)) === 'conflict') return absent;
  // At once: if the tick ends here, the range is read again, and this group is no longer among its missing ones.
  if (!isReleased) count(run, options.tier, { known: 0, removals: 1 });
  run.session.memory.forget(groupId);
  run.walked.add(options.tier);
  run.update((state) => useRemovalPermit(takeBack(state, [groupId]), options.tier));
  return 'done';
}

/** A group that is nearly too large to store has no room for the note: it is set aside, or no walk would ever end. */
async function isStored(run: TickRun, saved: Promise<unknown>): Promise<boolean> {
  try {
    await saved;
    return true;
  } catch (error) {
    if (!(error instanceof TooLargeToStoreError)) throw error;
    const { groupId, message } = error;
    const now = run.session.serviceClock.now().atMost;
    run.update((state) => noteSetAside(state, { id: groupId, reason: message, digest: '' }, now));
    return false;
  }
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
