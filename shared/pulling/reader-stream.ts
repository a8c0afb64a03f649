// What a reader of the pull feed shows, as a stream: the events of the whole feed by their positions, those alone that
// its filter admits. A page without any still moves on.
import type { FeedEvent } from '../contract/event.ts';
import { type EventFilter, matchesFilter } from '../contract/event-filter.ts';
import type { PullStream } from './pull-stream.ts';

/** The events of all return groups in one order. A position never changes its event, and none appears behind another. */
export interface Positions {
  /** What the positions belong to: a restored directory has others. */
  epoch(): Promise<string>;
  /**
   * The events after a position, in order. `last` is the last position seen.
   *
   * @returns `expired` if what followed the position is not kept
   * @throws if an event can't be decoded
   */
  read(after: number, limit: number): Promise<PositionedEvents | 'expired'>;
  /** The position of the newest event. */
  newest(): Promise<number>;
  /** The position of the last event that expired; 0 if none has. */
  expired(): Promise<number>;
  /** Resolves when there may be new events, or the signal aborts. */
  change(signal: AbortSignal): Promise<void>;
}

export interface PositionedEvents {
  readonly events: readonly PositionedEvent[];
  readonly last: number;
}

export interface PositionedEvent {
  readonly position: number;
  readonly event: FeedEvent;
}

/** A page ends at so many positions, events, or bytes, whichever is first. */
const PAGE_POSITIONS = 1_000;
const PAGE_EVENTS = 100;
const PAGE_BYTES = 1_024 * 1_024;
const POSITIONS_AT_ONCE = 200;

const NOTHING = new TextEncoder().encode('[]');

export function createReaderStream(positions: Positions, filter: EventFilter): PullStream {
  const isFiltered = Object.values(filter).some((condition) => condition !== undefined);
  const offsetOf = async (position: number) => formatOffset(await positions.epoch(), position);

  return {
    contentType: 'application/json',
    nothing: NOTHING,
    end: async () => offsetOf(await positions.newest()),
    change: positions.change,
    async read(offset, limit = PAGE_EVENTS) {
      const start = await positionOf(positions, offset);
      if (typeof start === 'string') return start;
      const texts: string[] = [];
      let [last, bytes, isUpToDate] = [start, 0, false];
      const isFull = () => texts.length >= limit || bytes >= PAGE_BYTES || last - start >= PAGE_POSITIONS;
      while (!isFull() && !isUpToDate) {
        // Without a filter each position is a message: no more is read than is given.
        const most = isFiltered ? POSITIONS_AT_ONCE : Math.min(POSITIONS_AT_ONCE, limit - texts.length);
        const read = await positions.read(last, most);
        // What was read before is given first; the next request learns it.
        if (read === 'expired') {
          if (last === start) return 'expired';
          break;
        }
        isUpToDate = read.last === last || read.last >= (await positions.newest());
        for (const { position, event } of read.events) {
          if (isFull()) break;
          last = position;
          if (!matchesFilter(filter, event)) continue;
          const text = JSON.stringify(event);
          texts.push(text);
          bytes += text.length;
        }
        if (isFull()) isUpToDate &&= last === read.last;
        else last = read.last;
      }
      return {
        body: texts.length === 0 ? NOTHING : new TextEncoder().encode(`[${texts.join(',')}]`),
        isEmpty: texts.length === 0,
        ...{ start: await offsetOf(start), next: await offsetOf(last), isUpToDate },
      };
    },
  };
}

/**
 * @param offset undefined for the first event that is kept
 * @returns the position before the first event to read
 */
export async function positionOf(
  positions: Pick<Positions, 'epoch' | 'newest' | 'expired'>,
  offset: string | undefined,
): Promise<number | 'unknown' | 'expired'> {
  if (offset === undefined) return positions.expired();
  const [, epoch = '', digits = ''] = OFFSET.exec(offset) ?? [];
  const position = Number(digits);
  if (epoch === '') return 'unknown';
  // Positions of what was before a restore say nothing here.
  if (epoch !== (await positions.epoch())) return 'expired';
  return position > (await positions.newest()) ? 'unknown' : position;
}

const DIGITS = 16;
const OFFSET = /^([\w-]+)_(\d{16})$/;

/** `<epoch>_<16 digits>`: texts sort like positions. */
function formatOffset(epoch: string, position: number): string {
  return `${epoch}_${String(position).padStart(DIGITS, '0')}`;
}
