// The holds of a source, at most one of each kind. Pure.
import type { Instant } from '../instant.ts';
import { walkedAt } from '../position/position.ts';
import type { SourceState } from '../source/source-state.ts';
import type { Hold, HoldKind, HoldSample } from './hold.ts';

type Held = Pick<SourceState, 'holds' | 'lastHold'>;

/** Held changes or removals that are shown to the operator who decides. */
const MOST_SAMPLES = 10;

export function findHold({ holds }: Pick<SourceState, 'holds'>, kind: HoldKind): Hold | undefined {
  return holds.find((hold) => hold.kind === kind);
}

/** Whether the hold keeps anything back now. */
export function isHolding(state: Pick<SourceState, 'holds'>, kind: HoldKind): boolean {
  return findHold(state, kind)?.phase === 'holding';
}

/** Begins a hold, or adds to the one that stands. */
export function holdBack<State extends Held>(
  state: State,
  {
    kind,
    count,
    samples = [],
    accessHash,
  }: Pick<Hold, 'kind' | 'count' | 'accessHash'> & { readonly samples?: readonly HoldSample[] },
  now: Instant,
): State {
  const known = findHold(state, kind);
  const number = known?.number ?? state.lastHold + 1;
  const phase = known?.phase ?? 'holding';
  const phaseSince = phase === 'holding' ? now : (known?.phaseSince ?? now);
  const next: Hold = {
    ...{ number, kind, since: known?.since ?? now, phase, phaseSince },
    count: Math.max(known?.count ?? 0, count),
    samples: distinct([...(known?.samples ?? []), ...samples]).slice(0, MOST_SAMPLES),
    ...(accessHash === undefined ? {} : { accessHash }),
  };
  return { ...replaceHold(state, kind, next), lastHold: Math.max(state.lastHold, number) };
}

export function endHold<State extends Held>(state: State, kind: HoldKind): State {
  return findHold(state, kind) === undefined ? state : replaceHold(state, kind, undefined);
}

/** Lets the next walk publish what is held, or take it over without events. */
export function setPhase<State extends Held>(
  state: State,
  hold: Hold,
  phase: 'publishing' | 'adopting',
  now: Instant,
): State {
  return replaceHold(state, hold.kind, { ...hold, phase, phaseSince: now });
}

/**
 * Returns the state after a complete walk: a hold that was released is over once all groups were walked since, and what
 * was missing is looked up.
 */
export function endReleased(state: SourceState): SourceState {
  const isLookingUp = state.lookUps.some(({ isMissing }) => isMissing === true);
  const isOver = ({ kind, phase, phaseSince }: Hold) =>
    phase !== 'holding' &&
    (walkedAt(state.position) ?? 0) >= phaseSince &&
    !(kind === 'removals' && isLookingUp);
  return state.holds.some(isOver) ? { ...state, holds: state.holds.filter((hold) => !isOver(hold)) } : state;
}

function replaceHold<State extends Held>(state: State, kind: HoldKind, next: Hold | undefined): State {
  const others = state.holds.filter((hold) => hold.kind !== kind);
  return { ...state, holds: next === undefined ? others : [...others, next] };
}

function distinct(samples: readonly HoldSample[]): HoldSample[] {
  const byGroup = new Map(samples.map((sample) => [`${sample.groupId} ${sample.what}`, sample]));
  return [...byGroup.values()];
}
