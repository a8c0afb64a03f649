// Runs a plan's mishap. It begins after the first full walk, because guards need that for comparison. It is undone, or the
// operator releases it.
import { areUnstampedHeld, standingHolds } from '../../../shared/guarding/holds.ts';
import { type Instant, MILLISECOND } from '../../../shared/instant.ts';
import { type Tier, tier } from '../../../shared/source/cycle-state.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { changeWhileHeld } from './change-held-groups.ts';
import { CROWD, HANDS } from './hands.ts';
import { type About, ANOTHER_MISTAKE, exchange, MISHAPS, type Mishap } from './mishaps.ts';
import { BASE_URL } from './network.ts';
import { releaseWhatIsHeld } from './operator.ts';
import type { Pollers } from './pollers.ts';
import { addIdsWithBlanks } from './shown-otherwise.ts';
import { SECOND_TOKEN, type World } from './world.ts';

const LOOKS_EVERY_MS = 2_000;
/** Minimum time before the end of the run: a later mishap would not be noticed in time. */
const NOTICED_WITHIN = 60_000 * MILLISECOND;
/** Time for the walks that hold another mistake. */
const FOLLOWED_WITHIN = 90_000 * MILLISECOND;

/** Runs the plan's mishap, and undoes or releases it, until the given moment of the elapsed time. */
export async function runMishap(world: World, sources: readonly Pollers[], until: number): Promise<void> {
  const { plan, time, trace } = world;
  if (plan.mishap === undefined) return;
  const { kind, fromMs, forMs, changes, values, isFollowed = false } = plan.mishap;
  const mishap: Mishap = MISHAPS[kind];
  if (values === 'of ids with blanks') addIdsWithBlanks(world);
  await time.sleep(fromMs);
  const about = await waitFor(world, until - NOTICED_WITHIN, () => prepare(world, sources, mishap));
  if (about === undefined) return;
  trace.note('mishap', kind);
  trace.count(`mishap ${kind}`);
  if (values !== undefined) trace.count(`mishap, values ${values}`);
  mishap.begin(world, about);
  const pause = () => time.sleep(Math.min(forMs, (until - time.elapsed()) / MILLISECOND));
  const isEnough = () => mishap.isEnough?.(world, about) !== false;
  if (changes !== undefined) await changeWhileHeld(world, sources, { changes, until });
  if (mishap.isEnough === undefined || changes !== undefined) {
    await pause();
    if (changes !== undefined) await untilHeldOrUnread(world, sources, until);
  } else {
    await whileEnough(world, sources, { isEnough, forMs, until });
  }
  let isFollowing = false;
  while (mishap.isReleased && !isFollowing && time.elapsed() < until) {
    const held = await Promise.all(sources.map(({ source }) => releaseWhatIsHeld(world, source)));
    await pause();
    isFollowing = isFollowed && held.includes(true) && (await follow(world, sources, until));
  }
  if (isFollowing) await pause();
  // A walk that reads the end of the mistake may take true changes of the same field for samples of it.
  if (values === 'long') await waitFor(world, until, async () => (isAnyAtWork(sources) ? undefined : true));
  mend(world, kind);
}

/** Begins another mistake once a walk has published what was released. @returns whether it began */
async function follow(world: World, sources: readonly Pollers[], until: number): Promise<boolean> {
  const about = await waitFor(world, until - FOLLOWED_WITHIN, async () => {
    const states = await loadStates(world, sources);
    return states.some((state) => standingHolds(state).length > 0)
      ? undefined
      : prepare(world, sources, ANOTHER_MISTAKE);
  });
  if (about === undefined) return false;
  world.trace.note('mishap', 'another mistake');
  world.trace.count('mishap, then another mistake');
  ANOTHER_MISTAKE.begin(world, about);
  return true;
}

interface Lasting {
  readonly isEnough: () => boolean;
  readonly forMs: number;
  readonly until: number;
}

/**
 * Waits for the planned time, or until too few groups are affected. If a mishap ends in the middle of a walk, only the part
 * that the walk read counts, like at its beginning; that does not matter once it is held.
 */
async function whileEnough(
  world: World,
  sources: readonly Pollers[],
  { isEnough, forMs, until }: Lasting,
): Promise<void> {
  const planned = Math.min(world.time.elapsed() + forMs * MILLISECOND, until);
  await waitFor(world, planned, async () => (isEnough() ? undefined : true));
  await untilHeldOrUnread(world, sources, until);
}

/** Waits until the changes are held or no walk reads them: the part of a mistake that a walk has read counts alone. */
async function untilHeldOrUnread(world: World, sources: readonly Pollers[], until: number): Promise<void> {
  await waitFor(world, until, async () => {
    const states = await loadStates(world, sources);
    return states.every(areUnstampedHeld) || !isAnyAtWork(sources) ? true : undefined;
  });
}

function isAnyAtWork(sources: readonly Pollers[]): boolean {
  return sources.some((pollers) => pollers.isAtWork());
}

async function loadStates({ stores }: World, sources: readonly Pollers[]): Promise<SourceState[]> {
  const states = await Promise.all(sources.map(({ source }) => stores.states.load(source)));
  return states.filter((state) => state !== undefined);
}

function mend(world: World, kind: string): void {
  world.trace.note('mishap', `${kind} is over`);
  world.veil.draw(undefined);
  world.move(BASE_URL);
  if (world.access().sees !== 'own') exchange(world, SECOND_TOKEN, 'own');
}

async function waitFor<Found>(
  { time }: World,
  until: number,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  while (time.elapsed() < until) {
    const found = await find();
    if (found !== undefined) return found;
    await time.sleep(LOOKS_EVERY_MS);
  }
  return undefined;
}

/** @returns undefined until everything needed is known */
async function prepare(
  world: World,
  sources: readonly Pollers[],
  { needsCrowd = false, isEnough, walks = tier.options }: Mishap,
): Promise<About | undefined> {
  const now = world.time.now();
  const known = (await loadStates(world, sources)).filter((state) => isBetweenWalks(state, { walks, now }));
  if (known.length < sources.length) return undefined;
  const crowded = needsCrowd ? findCrowd(world) : 0;
  if (!known.every((state) => !needsCrowd || knowsCrowd(world, state, crowded))) return undefined;
  const about = { crowded, settledThrough: Math.min(...known.map(({ settledThrough }) => settledThrough)) };
  if (isEnough === undefined) return about;
  // A process that was frozen before the guards had data does not judge, and polls changes that others have settled.
  return isEnough(world, about) && !isAnyAtWork(sources) ? about : undefined;
}

/**
 * Returns whether a full walk completed and none is in progress. If a mishap begins in the middle of a walk, only the rest
 * of the walk counts, which may be too small to trigger a guard; docs/guarantees.md, "Where they end".
 */
function isBetweenWalks(
  { baseline, reconciliation, lease }: SourceState,
  { walks, now }: { readonly walks: readonly Tier[]; readonly now: Instant },
): boolean {
  const mayBegin = (walk: Tier) => lease.expiresAt > 0 && reconciliation[walk].pausedUntil <= now;
  const isUnderWay = walks.some((walk) => reconciliation[walk].isUnderWay || mayBegin(walk));
  const hasWalked = reconciliation.all.lastCompletedAt !== undefined;
  return baseline.status === 'completed' && hasWalked && !isUnderWay;
}

/** Returns the group with a crowd, and creates it if there is none. */
function findCrowd(world: World): number {
  const groups = [...world.service.store.groups()];
  const crowded = groups.find(({ shipments }) => shipments.length > CROWD);
  const chosen = crowded ?? groups.find(({ shipments }) => shipments.length > 0);
  if (crowded === undefined && chosen !== undefined) HANDS.crowd(world, chosen.id, 0);
  return chosen?.id ?? 0;
}

function knowsCrowd({ stores }: World, { source, generation }: SourceState, groupId: number): boolean {
  const snapshot = stores.snapshots.all({ source, generation }).find((known) => known.groupId === groupId);
  return (snapshot?.projection.shipments?.length ?? 0) > CROWD;
}
