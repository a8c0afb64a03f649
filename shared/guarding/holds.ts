// The holds of guards, kept in the source's state so that they outlive every process. A hold stands until its guard
// ends it or an operator releases it. A released hold stays as a permit, for as much as was held, until a whole cycle
// did not need it, or has read all that was released. Pure: from one state to the next.

import { digestOf } from '../comparing/digest.ts';
import type { Instant } from '../instant.ts';
import { ANOTHER_HOLD_TIMES, MAX_HOLD_SAMPLES } from '../limits.ts';
import type { Tier } from '../source/cycle-state.ts';
import type { SourceState } from '../source/source-state.ts';
import type { Guard, Hold, HoldSample } from './guarding-state.ts';
import { doesMistakeStand, withNewWitnesses } from './hold-witnesses.ts';

export type Guarded = Pick<SourceState, 'guarding'>;

/** The finding of a guard. */
export interface Suspicion {
  readonly guard: Guard;
  readonly tier: Tier;
  /** How many groups or entities, besides those already found in this cycle. */
  readonly suspects: number;
  /** Whether they are too many by themselves; if not, only the hold that stands keeps them back. @default true */
  readonly isOverThreshold?: boolean;
  /** The creation time at which they begin; undefined for the beginning of time. */
  readonly from?: Instant | undefined;
  /** Hash of the address and token, if the finding is about them. */
  readonly tokenHash?: string | undefined;
  /** Samples of the suspects. The hold keeps a few of them. */
  readonly samples?: readonly HoldSample[] | undefined;
}

/** Returns the holds of a source that stand, oldest first. */
export function standingHolds({ guarding }: Guarded): Hold[] {
  return guarding.holds.filter(({ releasedAt }) => releasedAt === undefined);
}

/** @param tier the hold's tier; any tier without it */
export function findHold(state: Guarded, guard: Guard, tier?: Tier): Hold | undefined {
  return standingHolds(state).find(
    (hold) => hold.guard === guard && (tier === undefined || tier === hold.tier),
  );
}

/** Whether changes without a newer stamp are held; polls then leave them to the walks. */
export function areUnstampedHeld(state: Guarded): boolean {
  return findHold(state, 'changed_without_stamps') !== undefined;
}

/** Returns the released hold whose findings may still be published. */
export function findPermit({ guarding }: Guarded, guard: Guard, tier: Tier): Hold | undefined {
  return guarding.holds.find(
    (hold) => hold.guard === guard && hold.tier === tier && hold.releasedAt !== undefined,
  );
}

/** Returns the state with the suspicion held, in the hold that stands or in a new one. */
export function holdBack<State extends Guarded>(state: State, suspicion: Suspicion, now: Instant): State {
  const { guarding } = state;
  const { guard, tier, suspects, isOverThreshold = true, from, tokenHash, samples = [] } = suspicion;
  const known = findHold(state, guard, tier);
  if (known === undefined || known.tokenHash !== tokenHash) {
    const number = guarding.lastNumber + 1;
    const hold: Hold = {
      number,
      guard,
      tier,
      since: now,
      suspects,
      numberedAt: suspects,
      met: suspects,
      isOverThreshold,
      from,
      tokenHash,
      releasedAt: undefined,
      samples: someOf(samples),
      witnesses: [],
    };
    const holds = [...guarding.holds.filter((other) => other !== known), hold];
    return { ...state, guarding: { ...guarding, holds, lastNumber: number } };
  }
  const found = known.met + suspects;
  const grown = Math.max(known.suspects, found);
  // A release of the small hold was not meant for this one.
  const isAnother = grown > known.numberedAt * ANOTHER_HOLD_TIMES;
  const lastNumber = isAnother ? guarding.lastNumber + 1 : guarding.lastNumber;
  return replaceHold({ ...state, guarding: { ...guarding, lastNumber } }, known, {
    ...known,
    ...(isAnother ? { number: lastNumber, numberedAt: grown } : {}),
    suspects: grown,
    met: found,
    isOverThreshold: known.isOverThreshold || isOverThreshold,
    from: earlier(known.from, from),
    // Those of the cycle before may be over.
    samples: someOf(known.met === 0 && samples.length > 0 ? samples : [...known.samples, ...samples]),
  });
}

/** Returns the state with the next hold in the place of one, or without it if the next is undefined. */
export function replaceHold<State extends Guarded>(state: State, hold: Hold, next: Hold | undefined): State {
  const holds = state.guarding.holds.flatMap((other) => (other !== hold ? [other] : (next ?? [])));
  return { ...state, guarding: { ...state.guarding, holds } };
}

/** Returns the state with this much of the permit used. */
export function usePermit<State extends Guarded>(state: State, permit: Hold, used: number): State {
  return replaceHold(state, permit, { ...permit, suspects: Math.max(0, permit.suspects - used) });
}

/**
 * Counts a cycle's findings against the permit, if there is one.
 *
 * @param most how many a cycle may find without a permit: only with more is it still needed
 */
export function countForPermit<State extends Guarded>(
  state: State,
  { guard, tier, suspects }: Pick<Suspicion, 'guard' | 'tier' | 'suspects'>,
  most: number,
): State {
  const permit = findPermit(state, guard, tier);
  if (permit === undefined) return state;
  const met = permit.met + suspects;
  return replaceHold(state, permit, {
    ...permit,
    met,
    isOverThreshold: permit.isOverThreshold || met > most,
  });
}

/**
 * Returns the state as a cycle begins, which has found nothing yet. If its tier is the only one, it takes all holds.
 */
export function beginCycleOfHolds<State extends Guarded>(
  state: State,
  tier: Tier,
  isOnlyTier: boolean,
): State {
  const holds = state.guarding.holds.map((hold) =>
    hold.tier === tier || isOnlyTier ? begin(hold, tier) : hold,
  );
  return { ...state, guarding: { ...state.guarding, holds } };
}

function begin(hold: Hold, tier: Tier): Hold {
  return { ...withNewWitnesses(hold), tier, met: 0, isOverThreshold: false };
}

/**
 * Ends the holds that a whole cycle did not find again and the permits that it did not need; resizes the tier's other
 * holds.
 */
export function endCycleOfHolds<State extends Guarded>(state: State, tier: Tier): State {
  const holds = state.guarding.holds.flatMap((hold) => {
    if (hold.tier !== tier) return [hold];
    // The walk has read all that was released: a mistake that comes later is another one.
    if (hold.guard === 'changed_without_stamps' && hold.releasedAt !== undefined) return [];
    // Only a known group that is found ends this hold.
    if (hold.guard === 'known_group_not_found' && hold.releasedAt === undefined) return [hold];
    const isNeeded = hold.isOverThreshold || (hold.releasedAt === undefined && doesMistakeStand(hold));
    if (!isNeeded || hold.suspects === 0) return [];
    return [hold.releasedAt === undefined ? { ...hold, suspects: Math.max(hold.met, 1) } : hold];
  });
  return { ...state, guarding: { ...state.guarding, holds } };
}

/**
 * A few groups' samples, one of each, spread over all: those with the smallest digests, so that it does not matter in
 * which order and in how many parts the groups were found.
 */
function someOf(samples: readonly HoldSample[]): HoldSample[] {
  const byGroup = new Map<number, HoldSample>();
  for (const sample of samples) if (!byGroup.has(sample.groupId)) byGroup.set(sample.groupId, sample);
  if (byGroup.size <= MAX_HOLD_SAMPLES) return [...byGroup.values()];
  const drawn = [...byGroup.values()].map((sample) => ({ sample, place: digestOf(`${sample.groupId}`) }));
  const first = drawn.toSorted((a, b) => (a.place < b.place ? -1 : 1)).slice(0, MAX_HOLD_SAMPLES);
  return first.map(({ sample }) => sample).toSorted((a, b) => a.groupId - b.groupId);
}

function earlier(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b);
}
