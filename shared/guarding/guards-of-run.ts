// Guards hold changes that look like a mistake: most groups changed without a newer stamp, entities that vanish in
// numbers, known ranges that are empty, a token that shows another store. A guard gets compared readings and the
// source's state, and decides which changes may be saved now; the state keeps what is held (holds.ts) until it is over or released.
// This file makes the guards of one tick: of polls and the baseline, of walks, and of sweeps.
import { type Instant, MILLISECOND } from '../instant.ts';
import { noteKeptBack } from '../reporting/source-read.ts';
import type { Tier } from '../source/cycle-state.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession, Sweep } from '../source/source-session.ts';
import { admitAbsences, noteStillMissing } from './guard-entities.ts';
import { createSweepGuard, type SweepGuard } from './guard-sweep.ts';
import { createWalkGuard, type GuardedWalk, type WalkGuard } from './guard-walk.ts';
import { sampleMissingEntity } from './hold-samples.ts';
import { areUnstampedHeld } from './holds.ts';
import { countStillMissing, hasEvents, isUnstamped, type ReadingGuard } from './reading-guard.ts';

/** The parts of a running tick that the guards need. */
type GuardedSession = Pick<SourceSession, 'settings' | 'serviceClock'>;
type GuardedState = Pick<SourceCell, 'state' | 'update' | 'save'>;

type Through = 'poll' | 'reconciliation' | 'baseline';

/** Returns the guard of every reading; polls and the baseline have no other. */
export function guardReadings(
  { settings, serviceClock }: GuardedSession,
  source: GuardedState,
  through: Through,
): ReadingGuard {
  const now = () => serviceClock.now().atMost;
  return {
    admits(compared) {
      const missing = countStillMissing(compared);
      if (missing > 0) {
        const found = { missing, now: now(), through, samples: sampleMissingEntity(compared) };
        source.update((state) => noteStillMissing(state, found));
      }
      if (!areUnstampedHeld(source.state) || !isUnstamped(compared)) return true;
      const isRefused = through === 'poll' && hasEvents(compared.compared);
      if (isRefused) source.update((state) => noteKeptBack(state, compared.reading.receivedAt));
      return false;
    },
    admitsRemovals(absences) {
      const cycle = settings.reconcileMs * MILLISECOND;
      const admitted = admitAbsences(source.state, { ...absences, now: now(), cycle, through });
      source.update(() => admitted.state);
      return admitted.isAdmitted;
    },
  };
}

/** Returns the guard of a walk's next range (guard-walk.ts). @param from where the range begins */
export function guardWalk(
  session: GuardedSession,
  source: GuardedState,
  tier: Tier,
  from: Instant | undefined,
): WalkGuard {
  return createWalkGuard(walking(session, source), tier, from);
}

/** Returns the guard of a sweep (guard-sweep.ts). */
export function guardSweep(
  session: GuardedSession,
  source: GuardedState,
  sweep: Pick<Sweep, 'since' | 'unheldSince'>,
): SweepGuard {
  return createSweepGuard(walking(session, source), sweep);
}

function walking(session: GuardedSession, source: GuardedState): GuardedWalk {
  const readings = guardReadings(session, source, 'reconciliation');
  const { settings, serviceClock } = session;
  const interval = settings.intervalMs * MILLISECOND;
  return { source, readings, interval, now: () => serviceClock.now().atLeast };
}
