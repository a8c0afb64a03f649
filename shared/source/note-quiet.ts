// A quick tick that finds nothing new writes nothing to the source's state. When it last read the source completely
// comes to long ticks and to readers of the state from elsewhere.
import { type Instant, MILLISECOND } from '../instant.ts';
import { noteRead } from '../position/position.ts';
import type { SourceState } from './source-state.ts';

/**
 * Returns the state with a complete poll that found nothing new.
 *
 * @param quietAt the moment for which it stands, in milliseconds since the epoch
 */
export function noteQuiet(state: SourceState, quietAt: number | undefined, now: Instant): SourceState {
  if (quietAt === undefined) return state;
  const at = Math.min(quietAt * MILLISECOND, now);
  const { late } = state.lanes;
  if (at <= late.endedAt) return state;
  return {
    ...state,
    lastSlot: Math.max(state.lastSlot, quietAt),
    lanes: { ...state.lanes, late: { ...late, endedAt: at } },
    position: noteRead(state.position, at),
  };
}
