// The guards of the readings of one tick, by how they come.
import { type Instant, MILLISECOND } from '../instant.ts';
import type { Tier } from '../reconciliation-plan.ts';
import type { SourceSession } from '../source-session.ts';
import type { SourceState } from '../source-state.ts';
import { admitRemovals } from './guard-entities.ts';
import { areUnstampedHeld, createWalkGuard, type WalkGuard } from './guard-walk.ts';
import { isUnstamped, type ReadingGuard } from './reading-guard.ts';

/** What is needed of a tick at work. */
export interface GuardedRun {
  readonly session: Pick<SourceSession, 'settings' | 'serviceClock'>;
  state: SourceState;
}

type Through = 'poll' | 'reconciliation' | 'baseline';

/** Polls and the baseline: what they find is told at once. */
export function guardReadings(run: GuardedRun, through: Through): ReadingGuard {
  return {
    admits: (compared) => !(areUnstampedHeld(run.state) && isUnstamped(compared)),
    admitsRemovals: (entities) => admitEntities(run, entities, through),
  };
}

/** A walk's next range: see guard-walk.ts. */
export function guardWalk(run: GuardedRun, tier: Tier, from: Instant | undefined): WalkGuard {
  const { serviceClock } = run.session;
  const walk = {
    get state() {
      return run.state;
    },
    set state(next: SourceState) {
      run.state = next;
    },
    now: () => serviceClock.now().atLeast,
    admitsRemovals: (entities: number) => admitEntities(run, entities, 'reconciliation'),
  };
  return createWalkGuard(walk, tier, from);
}

function admitEntities(run: GuardedRun, entities: number, through: Through): boolean {
  const { settings, serviceClock } = run.session;
  const cycle = settings.reconcileMs * MILLISECOND;
  const { state, isAdmitted } = admitRemovals(run.state, {
    entities,
    now: serviceClock.now().atMost,
    cycle,
    through,
  });
  run.state = state;
  return isAdmitted;
}
