// What is read, as facts: when the last complete rounds began. `feed.source_read` publishes them once a minute. Changes
// that moved a return's stamp and showed within the lookback are in the ledger if they are stamped the lookback and
// `settle` before `polled_at`; all others if they showed twice `settle` before `walked_at`.
import type { EventOf } from '../contract/event.ts';
import { formatInstant, type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import { type SourceState, walkedAt } from '../source/source-state.ts';

/** The report on a source in `feed.source_read`. */
export type SourceRead = EventOf<'feed.source_read'>['data']['object'];

type Pace = Pick<SourceSettings, 'lookbackMs' | 'settleMs'>;

/** @param now by the local clock */
export function describeRead(state: SourceState, { lookbackMs, settleMs }: Pace, now: Instant): SourceRead {
  const { source, lanes, holds, setAside, places } = state;
  return {
    type: 'source_read',
    name: source,
    // Groups that no walk has read yet may still be announced.
    polled_at: orNull(state.baselineAt === undefined ? undefined : lanes.late.readAt),
    walked_at: orNull(walkedAt(state)),
    lookback_ms: lookbackMs,
    settle_ms: settleMs,
    held: holds.length,
    set_aside: setAside.length + places.filter(({ until }) => until > now).length,
  };
}

/** Returns the state with a report, once in each minute: by slots, which all processes of a source share. */
export function reportRead(state: SourceState, pace: Pace, now: Instant): SourceState {
  const minute = Math.floor((state.lastSlot * MILLISECOND) / MINUTE);
  if (minute <= state.readSequence) return state;
  return {
    ...state,
    readSequence: minute,
    readReport: { object: describeRead(state, pace, now), time: now },
  };
}

function orNull(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
