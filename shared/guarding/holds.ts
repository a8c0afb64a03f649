// What guards hold: kept in the source's state, so that it outlives every process. A hold stands until its guard has
// a reason to take it back or somebody releases it. A released one stays as a permit, for as much as was held, until
// a whole cycle did without it. Pure: from one state to the next.
import type { Instant } from '../instant.ts';
import { ANOTHER_HOLD_TIMES } from '../limits.ts';
import type { Guard, Hold, SourceState, Tier } from '../source/source-state.ts';

export type Guarded = Pick<SourceState, 'guarding'>;

/** What a guard has met. */
export interface Suspicion {
  readonly guard: Guard;
  readonly tier: Tier;
  /** How many groups or entities, besides those already met in this cycle. */
  readonly suspects: number;
  /** Whether they are still too many, or all that keeps the hold up is that it was made. @default true */
  readonly isOverThreshold?: boolean;
  /** Where, by creation time, they begin; undefined for the beginning of time. */
  readonly from?: Instant | undefined;
  readonly tokenHash?: string | undefined;
}

/** What is held of a source now, oldest first. */
export function standingHolds({ guarding }: Guarded): Hold[] {
  return guarding.holds.filter(({ releasedAt }) => releasedAt === undefined);
}

/** @param tier whose hold; any without it */
export function findHold(state: Guarded, guard: Guard, tier?: Tier): Hold | undefined {
  return standingHolds(state).find(
    (hold) => hold.guard === guard && (tier === undefined || tier === hold.tier),
  );
}

/** What was released and may still be told. */
export function findPermit({ guarding }: Guarded, guard: Guard, tier: Tier): Hold | undefined {
  return guarding.holds.find(
    (hold) => hold.guard === guard && hold.tier === tier && hold.releasedAt !== undefined,
  );
}

/** The state with the suspicion held: in the hold that stands, or in a new one. */
export function holdBack<State extends Guarded>(state: State, suspicion: Suspicion, now: Instant): State {
  const { guarding } = state;
  const { guard, tier, suspects, isOverThreshold = true, from, tokenHash } = suspicion;
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
    };
    const holds = [...guarding.holds.filter((other) => other !== known), hold];
    return { ...state, guarding: { ...guarding, holds, lastNumber: number } };
  }
  const met = known.met + suspects;
  const grown = Math.max(known.suspects, met);
  // Whoever releases the small one did not mean this one.
  const isAnother = grown > known.numberedAt * ANOTHER_HOLD_TIMES;
  const lastNumber = isAnother ? guarding.lastNumber + 1 : guarding.lastNumber;
  return replaceHold({ ...state, guarding: { ...guarding, lastNumber } }, known, {
    ...known,
    ...(isAnother ? { number: lastNumber, numberedAt: grown } : {}),
    suspects: grown,
    met,
    isOverThreshold: known.isOverThreshold || isOverThreshold,
    from: earlier(known.from, from),
  });
}

/** The state with another hold in the place of one; with none where that is undefined. */
export function replaceHold<State extends Guarded>(state: State, hold: Hold, next: Hold | undefined): State {
  const holds = state.guarding.holds.flatMap((other) => (other !== hold ? [other] : (next ?? [])));
  return { ...state, guarding: { ...state.guarding, holds } };
}

/** The permit with so many of what it allows used, and noted as needed. */
export function usePermit<State extends Guarded>(state: State, permit: Hold, used: number): State {
  const suspects = Math.max(0, permit.suspects - used);
  return replaceHold(state, permit, { ...permit, suspects, isOverThreshold: true });
}

/** Notes that a permit, if there is one, is still needed. */
export function needPermit<State extends Guarded>(state: State, guard: Guard, tier: Tier): State {
  const permit = findPermit(state, guard, tier);
  return permit === undefined || permit.isOverThreshold ? state : usePermit(state, permit, 0);
}

/** As a cycle begins, nothing was met in it yet. Where all groups are walked anyway there is but one tier. */
export function beginCycleOfHolds<State extends Guarded>(
  state: State,
  tier: Tier,
  isOnlyTier: boolean,
): State {
  const holds = state.guarding.holds.map((hold) =>
    hold.tier === tier || isOnlyTier ? { ...hold, tier, met: 0, isOverThreshold: false } : hold,
  );
  return { ...state, guarding: { ...state.guarding, holds } };
}

/** Once a cycle is whole, what was not met again in it is mended; how large the rest is, is known anew. */
export function endCycleOfHolds<State extends Guarded>(state: State, tier: Tier): State {
  const holds = state.guarding.holds.flatMap((hold) => {
    if (hold.tier !== tier) return [hold];
    // Only a known group that is found takes it back.
    if (hold.guard === 'known_group_not_found' && hold.releasedAt === undefined) return [hold];
    if (!hold.isOverThreshold || hold.suspects === 0) return [];
    return [hold.releasedAt === undefined ? { ...hold, suspects: Math.max(hold.met, 1) } : hold];
  });
  return { ...state, guarding: { ...state.guarding, holds } };
}

function earlier(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b);
}
