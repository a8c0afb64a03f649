// Whether a tick may work: each slot is taken once, by the one who holds the source's lease, and not while the
// source rests because its token was refused.
import { MILLISECOND } from '../instant.ts';
import { takeLease } from '../pacing/lease.ts';
import { LONGEST_REST } from '../pacing/rest.ts';
import { findStart, firstState } from '../source/mint-state.ts';
import { RestoredStateError } from '../source/restored-state.ts';
import type { SourceSession } from '../source/source-session.ts';
import { isSlotTooFarAhead } from './slot-ahead.ts';
import type { TickReport } from './tick-report.ts';
import type { TickRun } from './tick-run.ts';

export interface Tick {
  /** Milliseconds since the epoch at which it was due; names it among all ticks of the source. */
  readonly slot: number;
  /** How long it may work. */
  readonly durationMs: number;
}

/** How much longer than a tick its lease lasts: a frozen function must have been ended by then. */
const LEASE_MARGIN_MS = 15_000;

/** @throws what reading from the service throws, before a source's first state. */
export async function startTick(
  tick: Tick,
  run: TickRun,
): Promise<'taken' | Exclude<TickReport['outcome'], 'done'>> {
  const { session } = run;
  const { states, settings, owner } = session;
  const known = await states.load(settings.name);
  if (known !== undefined && known.mintedIn !== (await states.identity()))
    throw new RestoredStateError(settings.name);
  run.state = known ?? (await mint(run, tick.slot));
  if (tick.slot <= run.state.lastSlot && !isBeyondClocks(run.state.lastSlot, tick.slot, session))
    return 'late';
  if (isResting(run)) return 'resting';
  // By slots, which one scheduler gives: leases by the clocks of machines would be taken before they are over.
  const now = tick.slot * MILLISECOND;
  const durationUs = (tick.durationMs + LEASE_MARGIN_MS) * MILLISECOND;
  const lease = takeLease(run.state.lease, owner, now, durationUs);
  if (lease === undefined) return 'busy';
  const { intervalMs, lookbackMs, reconcileMs, requestsPerMinute } = settings;
  const pace = { intervalMs, lookbackMs, reconcileMs, requestsPerMinute };
  run.state = { ...run.state, lease, lastSlot: tick.slot, pace };
  await run.save();
  if (session.epoch !== lease.epoch) session.memory.forgetAll();
  session.epoch = lease.epoch;
  return 'taken';
}

/**
 * Whether the stored slot is from a clock that was wrong: it is far beyond the tick's slot and beyond the time here.
 * Then this tick puts it back, or the source would stand still until that time. A tick that is late or comes again
 * never does so, because the stored slot has passed by then.
 */
function isBeyondClocks(stored: number, slot: number, { clock }: SourceSession): boolean {
  return isSlotTooFarAhead(stored, slot) && isSlotTooFarAhead(stored, clock.now() / MILLISECOND);
}

/** A rest that is longer than any is was noted by a clock that was wrong. */
function isResting({ state, session }: TickRun): boolean {
  const left = state.health.restUntil - session.serviceClock.now().atLeast;
  return left > 0 && left <= LONGEST_REST;
}

async function mint(run: TickRun, slot: number) {
  const { clock, states, settings, serviceClock } = run.session;
  const mintedIn = await states.identity();
  const now = () => serviceClock.now().atLeast;
  const start = await findStart({ settings, now, fetch: run.fetch('poll'), stamps: () => run.stamps });
  const mintedAt = clock.now();
  return firstState({ settings, mintedIn, mintedAt, slot, ...start, now: now(), stamps: run.stamps });
}
