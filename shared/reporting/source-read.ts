// `feed.source_read` publishes the claims of position/claims.ts, once a minute or less often.
import type { EventOf } from '../contract/event.ts';
import { formatInstant, type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import { claimsOf } from '../position/claims.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import type { SourceState } from '../source/source-state.ts';

/** The report on a source in `feed.source_read`. */
export type SourceRead = EventOf<'feed.source_read'>['data']['object'];

/** @returns undefined before the first tick */
export function describeRead(state: SourceState): SourceRead | undefined {
  if (state.pace === undefined) return undefined;
  const { lookbackMs, settleMs } = state.pace;
  const { polledAt, walkedAt, held, setAside } = claimsOf(state);
  return {
    type: 'source_read',
    name: state.source,
    polled_at: orNull(polledAt),
    walked_at: orNull(walkedAt),
    lookback_ms: lookbackMs,
    settle_ms: settleMs,
    held,
    set_aside: setAside,
  };
}

/**
 * Returns the state with the number of a report, if one is due: by the minutes of slots, which all processes of a source
 * share.
 *
 * @param every how often, see {@link SourceSettings}
 */
export function reportRead(
  state: SourceState,
  now: Instant,
  every: SourceSettings['sourceRead'],
): SourceState {
  if (every === false) return state;
  const minute = Math.floor((state.lastSlot * MILLISECOND) / MINUTE);
  const minutes = every === true ? 1 : Math.ceil((every * MILLISECOND) / MINUTE);
  return minute < state.readSequence + minutes
    ? state
    : { ...state, readSequence: minute, readReportAt: now };
}

function orNull(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
