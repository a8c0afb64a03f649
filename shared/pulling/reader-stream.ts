// What a reader of the pull feed shows, as a stream: the events of the whole feed by their positions, those alone that
// its filter admits, or the whole returns of these events. A page without any still moves on.
import type { Positions } from './positions.ts';
import type { PullStream } from './pull-stream.ts';
import type { Reader } from './reader.ts';
import { createEventPage, createReturnPage, type ReturnPagePorts } from './reader-page.ts';

/** A page ends at so many positions or messages, or where it is full, whichever is first. */
const PAGE_POSITIONS = 1_000;
const PAGE_MESSAGES = 100;
const POSITIONS_AT_ONCE = 200;

const NOTHING = new TextEncoder().encode('[]');

export interface ReaderStreamPorts extends ReturnPagePorts {
  readonly positions: Positions;
}

export function createReaderStream(
  ports: ReaderStreamPorts,
  { filter, shape }: Pick<Reader, 'filter' | 'shape'>,
): PullStream {
  const { positions } = ports;
  const isFiltered = Object.values(filter).some((condition) => condition !== undefined);
  const offsetOf = async (position: number) => formatOffset(await positions.epoch(), position);

  return {
    contentType: 'application/json',
    nothing: NOTHING,
    end: async () => offsetOf(await positions.newest()),
    change: positions.change,
    async read(offset, limit = PAGE_MESSAGES) {
      const start = await positionOf(positions, offset);
      if (typeof start === 'string') return start;
      const page = shape === 'return' ? createReturnPage(ports, filter) : createEventPage(filter);
      let [last, isUpToDate] = [start, false];
      const isFull = () => page.count >= limit || page.isFull || last - start >= PAGE_POSITIONS;
      while (!isFull() && !isUpToDate) {
        // Without a filter each position is a message: no more is read than is given.
        const most = isFiltered ? POSITIONS_AT_ONCE : Math.min(POSITIONS_AT_ONCE, limit - page.count);
        const read = await positions.read(last, most);
        // What was read before is given first; the next request learns it.
        if (read === 'expired') {
          if (last === start) return 'expired';
          break;
        }
        isUpToDate = read.last === last || read.last >= (await positions.newest());
        for (const positioned of read.events) {
          if (isFull()) break;
          last = positioned.position;
          page.take(positioned);
        }
        if (isFull()) isUpToDate &&= last === read.last;
        else last = read.last;
      }
      const { texts, endsAt = last } = await page.finish();
      const [from, next] = [await offsetOf(start), await offsetOf(endsAt)];
      return {
        body: texts.length === 0 ? NOTHING : new TextEncoder().encode(`[${texts.join(',')}]`),
        isEmpty: texts.length === 0,
        // A whole return is as it is when it is read.
        ...{ etag: shape === 'return' ? undefined : `${from}:${next}`, next },
        isUpToDate: isUpToDate && endsAt === last,
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
