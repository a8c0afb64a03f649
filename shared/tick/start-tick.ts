// Whether a tick may work: each slot is taken once, by the holder of the source's lease, and not while the source rests
// after its token was refused.
import { type Instant, MILLISECOND } from '../instant.ts';
import { takeLease } from '../pacing/lease.ts';
import { restLeft } from '../pacing/rest.ts';
import { findStart, firstState } from '../source/mint-state.ts';
import { RestoredStateError } from '../source/restored-state.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { SourceState } from '../source/source-state.ts';
import { isSlotTooFarAhead } from './slot-ahead.ts';
import type { TickReport } from './tick-report.ts';
import type { TickRun } from './tick-run.ts';

export interface Tick {
  /** When it was due, in milliseconds since the epoch; identifies it among all ticks of the source. */
  readonly slot: number;
  /** How long it may work. */
  readonly durationMs: number;
}

/** How much longer than a tick its lease lasts, so that a frozen function has been ended by then. */
const LEASE_MARGIN_MS = 15_000;

/**
 * Loads the source's state, or creates its first one, and takes the tick's slot and the lease.
 *
 * @returns `taken`, or why the tick does not work
 * @throws RestoredStateError; LeaseLost if another process saved the state meanwhile; before a source's first state
 *   also what reading from the service throws
 */
export async function startTick(
  tick: Tick,
  run: TickRun,
): Promise<'taken' | Exclude<TickReport['outcome'], 'done'>> {
  const { session } = run;
  const { states, settings, owner } = session;
  const known = await states.load(settings.name);
  if (known !== undefined && known.mintedIn !== (await states.identity()))
    throw new RestoredStateError(settings.name, run.session.place);
  run.begin(known ?? (await mint(run, tick.slot)));
  if (tick.slot <= run.state.lastSlot && !isBeyondClocks(run.state.lastSlot, tick.slot, session))
    return 'late';
  if (isResting(run)) return 'resting';
  // By slots, from one scheduler: by the clocks of machines, leases would be taken before they expire.
  const now = tick.slot * MILLISECOND;
  const durationUs = (tick.durationMs + LEASE_MARGIN_MS) * MILLISECOND;
  const lease = takeLease(run.state.lease, owner, now, durationUs);
  if (lease === undefined) return 'busy';
  const { intervalMs, lookbackMs, reconcileMs, requestsPerMinute, baseUrl } = settings;
  const pace = { intervalMs, lookbackMs, reconcileMs, requestsPerMinute };
  const settledThrough = settledWith(lookbackMs, run.state);
  run.update((state) => ({ ...state, settledThrough, lease, lastSlot: tick.slot, pace, baseUrl }));
  await run.save();
  if (session.epoch !== lease.epoch) session.memory.forgetAll();
  session.activity.begin(session.epoch === lease.epoch);
  session.epoch = lease.epoch;
  return 'taken';
}

/**
 * Whether the stored slot comes from a wrong clock: it is far ahead of both the tick's slot and the local time. This
 * tick then puts it back, otherwise the source would stand still until that time. A tick that is late or comes again
 * never does so, because the stored slot has passed by then.
 */
function isBeyondClocks(stored: number, slot: number, { clock }: SourceSession): boolean {
  return isSlotTooFarAhead(stored, slot) && isSlotTooFarAhead(stored, clock.now() / MILLISECOND);
}

/** The settled instant; if the lookback was raised, polls go back by the difference, once. */
function settledWith(lookbackMs: number, { settledThrough, pace }: SourceState): Instant {
  const raisedByMs = Math.max(0, lookbackMs - (pace?.lookbackMs ?? lookbackMs));
  return settledThrough - raisedByMs * MILLISECOND;
}

function isResting({ state, session }: TickRun): boolean {
  return restLeft(state.health.restUntil, session.serviceClock.now().atLeast) > 0;
}

async function mint(run: TickRun, slot: number) {
  const { clock, states, settings, serviceClock } = run.session;
  const mintedIn = await states.identity();
  const now = () => serviceClock.now().atLeast;
  const start = await findStart({
    settings,
    now,
    fetch: run.fetchAndLearn('poll'),
    stamps: () => run.stamps,
  });
  const mintedAt = clock.now();
  return firstState({ settings, mintedIn, mintedAt, slot, ...start, now: now(), stamps: run.stamps });
}
