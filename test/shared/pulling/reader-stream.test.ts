import { describe, expect, it } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { EventFilter } from '../../../shared/contract/event-filter.ts';
import type { Positions } from '../../../shared/pulling/positions.ts';
import type { Piece } from '../../../shared/pulling/pull-stream.ts';
import { createReaderStream } from '../../../shared/pulling/reader-stream.ts';

const EPOCH = 'dir-1';
const at = (position: number, epoch = EPOCH) => `${epoch}_${String(position).padStart(16, '0')}`;

interface World {
  /** How many events there are. Every tenth is of the source `globex`, the others of `acme`. */
  readonly events: number;
  readonly expired?: number;
  readonly filter?: EventFilter;
  readonly bytesEach?: number;
  /** What follows this position is not there. */
  readonly holeAfter?: number;
  /** How many positions were asked for, each time. */
  readonly asked?: number[];
}

function open({ events, expired = 0, filter = {}, bytesEach = 0, holeAfter = -1, asked = [] }: World) {
  const event = (position: number) =>
    ({
      id: `e${position}`,
      source: position % 10 === 0 ? '/sources/globex' : '/sources/acme',
      type: 'shipment.updated',
      data: { object: { note: 'x'.repeat(bytesEach) }, changed: [] },
    }) as unknown as FeedEvent;
  const positions: Positions = {
    epoch: async () => EPOCH,
    newest: async () => events,
    expired: async () => expired,
    change: async () => {},
    async read(after, limit) {
      asked.push(limit);
      if (after < expired || after === holeAfter) return 'expired';
      const first = after + 1;
      const last = Math.min(events, first + limit - 1);
      const positions = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
      return {
        events: positions.map((position) => ({ position, event: event(position) })),
        last: Math.max(after, last),
      };
    },
  };
  const nothing = { ledger: { read: async () => [] }, snapshots: { load: async () => new Map() } };
  return createReaderStream({ positions, ...nothing, clock: { sleep: async () => {} } }, { filter });
}

const idsOf = ({ body }: Piece) =>
  (JSON.parse(new TextDecoder().decode(body)) as FeedEvent[]).map(({ id }) => id);

async function piece(world: World, offset?: string, limit?: number): Promise<Piece> {
  const read = await open(world).read(offset, limit);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

describe('a reader', () => {
  it('gives pages of 100 events, each from the offset of the one before', async () => {
    const first = await piece({ events: 150 });

    const second = await piece({ events: 150 }, first.next);

    expect([idsOf(first).length, first.isUpToDate, first.next]).toEqual([100, false, at(100)]);
    expect(first.etag).toBe(`${at(0)}:${at(100)}`);
    expect([idsOf(second)[0], idsOf(second).length, second.isUpToDate]).toEqual(['e101', 50, true]);
  });

  it('gives as many as are asked for', async () => {
    const read = await piece({ events: 3 }, at(1), 1);

    expect([idsOf(read), read.next, read.isUpToDate]).toEqual([['e2'], at(2), false]);
  });

  it('moves on where its filter admits nothing', async () => {
    const filter = { sources: ['initech'] };

    const read = await piece({ events: 5_000, filter });

    expect([read.isEmpty, read.next, read.isUpToDate]).toEqual([true, at(1_000), false]);
  });

  it('gives the events alone that its filter admits', async () => {
    const read = await piece({ events: 45, filter: { sources: ['globex'] } });

    expect([idsOf(read), read.next, read.isUpToDate]).toEqual([['e10', 'e20', 'e30', 'e40'], at(45), true]);
  });

  it('gives what is kept before it says that the rest has expired', async () => {
    const world = { events: 300, holeAfter: 200, filter: { sources: ['globex'] } };

    const read = await piece(world);

    expect([idsOf(read).length, read.next, read.isUpToDate]).toEqual([20, at(200), false]);
    expect(await open(world).read(read.next)).toBe('expired');
  });

  it('without a filter reads no more than it gives', async () => {
    const asked: number[] = [];

    await open({ events: 300, asked }).read(undefined, 30);

    expect(asked).toEqual([30]);
  });

  it('ends a page at a MiB', async () => {
    const read = await piece({ events: 100, bytesEach: 400_000 });

    expect([idsOf(read).length, read.isUpToDate]).toEqual([3, false]);
  });

  it('is up to date and empty at the end', async () => {
    const read = await piece({ events: 7 }, at(7));

    expect([read.isEmpty, read.next, read.isUpToDate]).toEqual([true, at(7), true]);
    expect(await open({ events: 7 }).end()).toBe(at(7));
  });

  it('begins with the first event that is kept', async () => {
    const read = await piece({ events: 7, expired: 4 });

    expect(idsOf(read)).toEqual(['e5', 'e6', 'e7']);
  });

  it.each([
    ['before what is kept', at(3), 'expired'],
    ['of another directory', at(5, 'dir-2'), 'expired'],
    ['beyond the end', at(8), 'unknown'],
    ['of another form', 'e5', 'unknown'],
  ])('knows an offset %s', async (_, offset, refusal) => {
    expect(await open({ events: 7, expired: 4 }).read(offset)).toBe(refusal);
  });

  it('goes on from the last event that expired', async () => {
    expect(idsOf(await piece({ events: 7, expired: 4 }, at(4)))).toEqual(['e5', 'e6', 'e7']);
  });
});
