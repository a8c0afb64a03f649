// Up to which moment everything is read and in the ledger. `feed.source_read` publishes it once a minute, and `status`
// shows it. It never claims more than the state proves, and it never moves back within a generation:
//
// - `read_up_to` follows the settled instant of polls (reading/poll.ts), which a failed, unsaved or unproved range
// keeps back. It is unknown until the baseline is completed: before that, groups that were never read may still be
// announced. While anything is held, or released and not published yet, it stands still. Polls settle beyond the
// changes that a hold keeps back; otherwise a long hold would leave them more to read with each poll. So after the hold
// it stands still until `reconciled_through` is beyond these readings: until then only the walk has published them.
// - `reconciled_through` follows from the first request of a walk over all groups that was read to its proved end,
// without a hold. It is dated by answers: between two of them the clock may have been set. A read may be `settle` old,
// and a difference that a walk leaves to a later one was read by another pass, at most `settle` and a request earlier.
// So the instant is 2 × `settle` and the time limit of a request before the first request.
import type { EventOf } from '../contract/event.ts';
import { floorToDigits, formatInstant, type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import type { SourceState } from '../source/source-state.ts';
import type { ReadState } from './read-state.ts';

/** The report on a source in `feed.source_read`. */
export type SourceRead = EventOf<'feed.source_read'>['data']['object'];

type Reported = Pick<SourceState, 'source' | 'read' | 'guarding' | 'setAside'>;

/** Returns up to which moments everything is read, from a source's state. */
export function describeRead({ source, read, guarding, setAside }: Reported): SourceRead {
  return {
    type: 'source_read',
    name: source,
    read_up_to: orNull(read.upTo),
    reconciled_through: orNull(read.reconciledThrough),
    held: guarding.holds.length,
    set_aside: setAside.length,
  };
}

/** Returns the state at the end of a tick, with the instant up to which everything is read. */
export function noteReadUpTo(state: SourceState): SourceState {
  const { baseline, guarding, settledThrough, read, stamps } = state;
  if (baseline.status === 'running' || guarding.holds.length > 0 || isKeptBack(read)) return state;
  // Bounds are sent with the digits of the stamps: what changed within the last unit of that precision may not be read.
  return withRead(state, { upTo: later(read.upTo, floorToDigits(settledThrough, stamps.precision)) });
}

/** Whether polls read a change during a hold that no walk may have published yet. */
function isKeptBack({ keptBackAt, reconciledThrough }: ReadState): boolean {
  return keptBackAt !== undefined && keptBackAt > (reconciledThrough ?? 0);
}

/** Notes that a hold kept back a change that a poll read. */
export function noteKeptBack(state: SourceState, receivedAt: Instant): SourceState {
  return withRead(state, { keptBackAt: later(state.read.keptBackAt, receivedAt) });
}

/** Returns the state as a walk over all groups begins. */
export function beginWholeWalk(state: SourceState): SourceState {
  return withRead(state, { walkedFrom: undefined, isOvertaken: false, leftNewer: false });
}

/** Notes when a request of the walk was sent, by the answer. */
export function noteWalked(state: SourceState, sentAt: Instant): SourceState {
  return withRead(state, { walkedFrom: Math.min(state.read.walkedFrom ?? sentAt, sentAt) });
}

/**
 * Notes that the walk does not publish a difference that was first read at an unknown time: another process saved the
 * group first, a hold keeps it back, or its snapshot is dated by a clock that was ahead.
 */
export function noteOvertaken(state: SourceState): SourceState {
  return withRead(state, { isOvertaken: true });
}

/** Notes that a newer state was shown and not saved. */
export function noteLeftNewer(state: SourceState): SourceState {
  return withRead(state, { leftNewer: true });
}

/** Returns the state after a walk over all groups was read to its proved end. */
export function noteReconciled(
  state: SourceState,
  { settleMs, requestTimeoutMs }: Pick<SourceSettings, 'settleMs' | 'requestTimeoutMs'>,
): SourceState {
  const { guarding, read } = state;
  const { walkedFrom, isOvertaken } = read;
  if (guarding.holds.length > 0 || isOvertaken || walkedFrom === undefined) return state;
  const reconciled = walkedFrom - (2 * settleMs + requestTimeoutMs) * MILLISECOND;
  return withRead(state, { reconciledThrough: later(read.reconciledThrough, reconciled) });
}

/**
 * Returns the state with a report, once in each minute: by slots, which all processes of a source share.
 *
 * @param now by the service's clock
 */
export function reportRead(state: SourceState, now: Instant): SourceState {
  const slot = state.lastSlot * MILLISECOND;
  const { reportedAt } = state.read;
  if (reportedAt !== undefined && minuteOf(reportedAt) === minuteOf(slot)) return state;
  // The minute is larger than any number before, even if an older version of the feed ran meanwhile, which counts no
  // such numbers.
  const sequence = Math.max(state.read.sequence + 1, minuteOf(slot));
  return withRead(state, { reportedAt: slot, sequence, report: { object: describeRead(state), time: now } });
}

function withRead(state: SourceState, read: Partial<ReadState>): SourceState {
  return { ...state, read: { ...state.read, ...read } };
}

function minuteOf(slot: Instant): number {
  return Math.floor(slot / MINUTE);
}

function later(known: Instant | undefined, found: Instant): Instant {
  return Math.max(known ?? found, found);
}

function orNull(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
