// The guards of one tick's readings, by how these come.
import { type Instant, MILLISECOND } from '../instant.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { SourceState, Tier } from '../source/source-state.ts';
import { admitAbsences, noteStillMissing } from './guard-entities.ts';
import { areUnstampedHeld, createWalkGuard, type WalkGuard } from './guard-walk.ts';
import { countStillMissing, isUnstamped, type ReadingGuard } from './reading-guard.ts';

/** What the guards need of a tick at work. */
export interface GuardedRun {
  readonly session: Pick<SourceSession, 'settings' | 'serviceClock'>;
  state: SourceState;
  save(): Promise<void>;
}

type Through = 'poll' | 'reconciliation' | 'baseline';

/** Returns the guard of polls and the baseline, whose changes are published at once. */
export function guardReadings(run: GuardedRun, through: Through): ReadingGuard {
  const { settings, serviceClock } = run.session;
  const now = () => serviceClock.now().atMost;
  return {
    admits(compared) {
      const missing = countStillMissing(compared);
      if (missing > 0) run.state = noteStillMissing(run.state, { missing, now: now(), through });
      return !(areUnstampedHeld(run.state) && isUnstamped(compared));
    },
    admitsRemovals(absences) {
      const cycle = settings.reconcileMs * MILLISECOND;
      const { state, isAdmitted } = admitAbsences(run.state, { ...absences, now: now(), cycle, through });
      run.state = state;
      return isAdmitted;
    },
  };
}

/** Returns the guard of a walk's next range (guard-walk.ts). @param from where the range begins */
export function guardWalk(run: GuardedRun, tier: Tier, from: Instant | undefined): WalkGuard {
  const walk = {
    get state() {
      return run.state;
    },
    set state(next: SourceState) {
      run.state = next;
    },
    now: () => run.session.serviceClock.now().atLeast,
    readings: guardReadings(run, 'reconciliation'),
    save: () => run.save(),
  };
  return createWalkGuard(walk, tier, from);
}
