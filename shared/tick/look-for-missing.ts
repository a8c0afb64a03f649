// Groups that are known and were not in a range that was read to its proved end. That proves nothing yet (absence
// from a list is never a removal): each is looked up by its id, and told as removed when two look-ups, `settle`
// apart, found nothing while another known group is still found. Where too many are missing it looks like another
// store, not like removals: nothing is told.
import { removeGroup } from '../comparing/remove-group.ts';
import { isSettled } from '../comparing/take-reading.ts';
import {
  admitMissing,
  areRemovalsHeld,
  isKnownRangeEmpty,
  permittedRemovals,
  useRemovalPermit,
} from '../guarding/guard-missing.ts';
import { type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import { distrustEnds } from '../reading/list-depth.ts';
import type { Interval } from '../reading/page.ts';
import type { Recorder } from '../recording/record-pages.ts';
import type { Tier } from '../source/source-state.ts';
import { absentSince, isReadable, noteAbsence, takeBackAbsence } from './group-absence.ts';
import { lookUpOrSetAside, startingAnywhere } from './look-up.ts';
import type { TickRun } from './tick-run.ts';

/** In the same minute one group that is found speaks for all look-ups that found nothing. */
const CANARY_LASTS = MINUTE;

export interface MissingOptions {
  readonly tier: Tier;
  /** Ids that were shown. */
  readonly seen: ReadonlySet<number>;
  readonly recorder: Recorder;
  readonly pollWhenDue: () => Promise<void>;
}

export interface MissingGroups {
  /** By creation time, from where on. */
  readonly from: Instant | undefined;
  readonly known: number;
  /** Of these, the ones that were not shown. */
  readonly missing: readonly number[];
}

/** `again`: the removal of some was released, and takes a second look-up, `settle` later. */
export type Missed = 'done' | 'again';

/** Looks for the groups that are known of a range and were not shown. */
export async function lookForMissing(
  run: TickRun,
  range: Interval,
  options: MissingOptions,
): Promise<Missed> {
  return lookForGroups(run, await findMissing(run, range, options), options);
}

/** Counts those that are gone in the cycle: noted as missing, told as removed, or held because they are too many. */
export async function lookForGroups(
  run: TickRun,
  { from, known, missing }: MissingGroups,
  options: MissingOptions,
): Promise<Missed> {
  if (missing.length === 0) return 'done';
  const found = { tier: options.tier, from, known, missing: missing.length };
  // Where nothing that is known is found by its id either, it is not the range that is empty.
  if (isKnownRangeEmpty(found) && !(await run.tokenGuard.proveAnew())) return 'done';
  const { state, isAdmitted } = admitMissing(run.state, found, run.session.serviceClock.now().atMost);
  run.state = state;
  if (!isAdmitted) return 'done';
  let missed: Missed = 'done';
  const isCanaryFound = createCanary(run, options.seen, new Set(missing));
  for (const groupId of startingAnywhere(missing, run.session.random)) {
    await options.pollWhenDue();
    if ((await lookForGroup(run, groupId, options, isCanaryFound)) === 'again') missed = 'again';
  }
  return missed;
}

function countGone(run: TickRun, tier: Tier): void {
  const { reconciliation } = run.state;
  const cycle = reconciliation[tier];
  const counted = { ...cycle, removals: cycle.removals + 1 };
  run.state = { ...run.state, reconciliation: { ...reconciliation, [tier]: counted } };
}

async function findMissing(run: TickRun, range: Interval, { seen }: MissingOptions): Promise<MissingGroups> {
  const { store, settings } = run.session;
  const source = { source: settings.name, generation: run.state.generation };
  const missing: number[] = [];
  let known = 0;
  // Absurd stamps lie far beyond all that a number holds exactly.
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  for await (const { groupId } of store.knownCreatedBetween(source, from, to)) {
    known += 1;
    if (!seen.has(groupId)) missing.push(groupId);
  }
  return { from: range.from, known, missing };
}

/** Looks a group up, and tells it as removed where that was in vain for the second time. */
async function lookForGroup(
  run: TickRun,
  groupId: number,
  options: MissingOptions,
  isCanaryFound: () => Promise<boolean>,
): Promise<Missed> {
  const { store, settings } = run.session;
  const key = { source: settings.name, generation: run.state.generation, group: groupId };
  const snapshot = (await store.load(key, [groupId])).get(groupId);
  if (snapshot === undefined || snapshot.removedAt !== undefined) return 'done';
  const since = absentSince(snapshot);
  const { startedAt } = run.state.reconciliation[options.tier];
  // A tick that was cut off has looked for it already in this cycle.
  const isReleased = permittedRemovals(run.state, options.tier) > 0;
  if (since !== undefined && since >= startedAt && !isReleased) return 'done';
  const page = await lookUpOrSetAside(run, groupId);
  if (page === undefined) return 'done';
  const { seenWith } = run.state.guarding;
  if (page.rows.length > 0) {
    // A range that was proved to its end has lacked it.
    if (options.tier !== 'open') run.depth.learn(distrustEnds);
    await options.recorder.take(page);
    await takeBackAbsence(run, groupId, page);
    return 'done';
  }
  if (!isReleased) countGone(run, options.tier);
  if (since === undefined) {
    await store.saveAll(key, [{ expectedVersion: snapshot.version, snapshot: noteAbsence(snapshot, page) }]);
    // Else a poll that shows it again would take it for unchanged, and never take the note back.
    run.session.memory.forget(groupId);
    return isReleased ? 'again' : 'done';
  }
  const settle = settings.settleMs * MILLISECOND;
  if (areRemovalsHeld(run.state, options.tier)) return 'done';
  if (!isSettled(page.sentAt, since, settle)) return isReleased ? 'again' : 'done';
  if (!(await isCanaryFound())) return 'done';
  // Another token proves nothing of what the one before it has shown.
  if (run.state.guarding.seenWith !== seenWith) return 'done';
  const vain = { sentAt: page.sentAt, receivedAt: page.receivedAt, through: 'reconciliation' as const };
  const save = removeGroup(snapshot, vain, { ...key, settle });
  if (save === undefined || (await store.save(key, save)) === 'conflict') return 'done';
  run.session.memory.forget(groupId);
  run.state = useRemovalPermit(run.state, options.tier);
  return 'done';
}

/**
 * Tells whether the service still finds a group that it has just shown, or else another one that is known. If it finds
 * none at all it is not itself, or has nothing left: that is held until somebody says which.
 */
function createCanary(
  run: TickRun,
  seen: ReadonlySet<number>,
  missing: ReadonlySet<number>,
): () => Promise<boolean> {
  let foundAt = Number.NEGATIVE_INFINITY;
  return async function isFound() {
    const { clock } = run.session;
    if (clock.elapsed() - foundAt < CANARY_LASTS) return true;
    const canary = [...seen].at(-1) ?? run.lastSeenId ?? (await findOther(run, missing));
    const isFirstThere = canary !== undefined && isReadable(await run.lookUp(canary));
    const isThere = isFirstThere || (await run.tokenGuard.proveAnew());
    if (isThere) foundAt = clock.elapsed();
    return isThere;
  };
}

/** Some known group that nobody misses. */
async function findOther(run: TickRun, missing: ReadonlySet<number>): Promise<number | undefined> {
  const { store, settings } = run.session;
  const source = { source: settings.name, generation: run.state.generation };
  const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  for await (const { groupId } of store.knownCreatedBetween(source, ...everything)) {
    if (!missing.has(groupId)) return groupId;
  }
  return undefined;
}
