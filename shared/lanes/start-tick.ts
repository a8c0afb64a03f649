// Whether a tick may work: each slot is taken once, by the holder of the source's lease, and not while the source rests
// after its token was refused.
import { HOUR, MILLISECOND } from '../instant.ts';
import { takeLease } from '../pacing/lease.ts';
import { restLeft } from '../pacing/rest.ts';
import { setBackPolls } from '../position/set-back-polls.ts';
import type { TickReport } from '../reporting/tick-report.ts';
import { firstState } from '../source/first-state.ts';
import { RestoredStateError } from '../source/restored-state.ts';
import { reachOf } from '../source/source-settings.ts';
import type { SourceState } from '../source/source-state.ts';
import type { TickRun } from './tick-run.ts';

export interface Tick {
  /** When it was due, in milliseconds since the epoch; identifies it among all ticks of the source. */
  readonly slot: number;
  /** How long it may work. */
  readonly durationMs: number;
  /** The last complete poll of a quick tick that found nothing new, in milliseconds since the epoch. */
  readonly quietAt?: number | undefined;
}

/** How much longer than a tick its lease lasts, so that a frozen function has been ended by then. */
const LEASE_MARGIN_MS = 15_000;
/**
 * A slot is never this far ahead unless a clock was wrong: ticks are due within a minute of being sent, wait for ten
 * minutes at most, and clocks of machines are minutes apart at most.
 */
const SLOT_TOO_FAR_AHEAD_MS = HOUR / MILLISECOND;

/**
 * Loads the source's state, or creates its first one, and takes the tick's slot and the lease.
 *
 * @returns `taken`, or why the tick does not work
 * @throws RestoredStateError; LeaseLost if another process saved the state meanwhile
 */
export async function startTick(
  tick: Tick,
  run: TickRun,
): Promise<'taken' | Exclude<TickReport['outcome'], 'done'>> {
  const { session } = run;
  const { states, settings, owner, clock, requests } = session;
  const mintedIn = await states.identity();
  const known = await states.load(settings.name);
  if (known !== undefined && known.mintedIn !== mintedIn)
    throw new RestoredStateError(settings.name, session.place);
  run.cell.begin(known ?? firstState({ settings, mintedIn, mintedAt: clock.now() }));
  const { lastSlot, lease: before } = run.state;
  if (tick.slot <= lastSlot && !isBeyondClocks(run, tick.slot)) return 'late';
  if (restLeft(run.state.health.restUntil, clock.now()) > 0) return 'resting';
  const lease = takeLease(before, owner, clock.now(), (tick.durationMs + LEASE_MARGIN_MS) * MILLISECOND);
  if (lease === undefined) return 'busy';
  run.update((state) => withSettings({ ...state, lease, lastSlot: tick.slot }, run));
  await run.cell.save();
  // Another process may have read and sent requests since.
  if (session.epoch !== lease.epoch) {
    session.memory.forgetAll();
    session.passes.clear();
    if (known !== undefined) requests.empty();
    // By the local clock; the process that got it keeps it by a clock that never jumps.
    requests.pauseUntil(run.state.pausedUntil);
  }
  session.epoch = lease.epoch;
  session.leaseEnd = lease.expiresAt;
  return 'taken';
}

/** Whether a stored slot is so far ahead of a time that it comes from a wrong clock. Both in milliseconds. */
export function isSlotTooFarAhead(stored: number, now: number): boolean {
  return stored - now > SLOT_TOO_FAR_AHEAD_MS;
}

/**
 * Whether the stored slot comes from a wrong clock: it is far ahead of both the tick's slot and the local time. This
 * tick then puts it back, otherwise the source would stand still until that time.
 */
function isBeyondClocks({ state: { lastSlot }, now }: TickRun, slot: number): boolean {
  return isSlotTooFarAhead(lastSlot, slot) && isSlotTooFarAhead(lastSlot, now() / MILLISECOND);
}

/** If the lookback was raised, polls go back by the difference, once. */
function withSettings(state: SourceState, { session: { settings }, now }: TickRun): SourceState {
  const { intervalMs, lookbackMs, settleMs, reconcileMs, requestsPerMinute, walkShare, baseUrl } = settings;
  const raisedBy = reachBack(settings) - reachBack(state.pace ?? settings);
  const pace = { intervalMs, lookbackMs, settleMs, reconcileMs, requestsPerMinute, walkShare };
  const next = { ...state, pace, baseUrl };
  return raisedBy > 0 ? setBackPolls(next, state.position.cursor - raisedBy, now()) : next;
}

/** How long before a moment a change may be stamped that polls can still find from then on. */
function reachBack(settings: Parameters<typeof reachOf>[0]): number {
  const { lookback, settle } = reachOf(settings);
  return lookback + settle;
}
