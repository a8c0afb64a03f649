import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE } from '../../../shared/instant.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import { cutIntoPieces } from '../../../shared/reading/pieces.ts';
import { walkOn } from '../../../shared/reading/walk.ts';
import { walkPieces } from '../../../shared/reading/walk-pieces.ts';
import type { KnownPieces, WalkPosition } from '../../../shared/reading/walk-step.ts';
import { STAMPS } from './at-noon.ts';
import { createModelList, type ModelList } from './model-list.ts';
import type { Order } from './model-orders.ts';
import { clampedTo } from './model-pages.ts';
import { aRow, idsFrom } from './some-rows.ts';
import { createWitness } from './witness.ts';
import { NOON } from './worlds.ts';

const PAGE = 20;
const START: WalkPosition = { coveredThrough: undefined, rangeWidth: DAY };
const UP_TO = NOON - 5 * MINUTE;

/** One group an hour, the last one an hour ago. */
function hourly(groups: number, order: Order, pages = clampedTo(PAGE)): ModelList {
  const list = createModelList({ seed: 3, now: NOON, order, pages });
  for (const hours of idsFrom(1, groups).reverse()) list.add({ createdAt: NOON - hours * HOUR });
  return list;
}

/** The pieces of the groups that the list has now. */
function piecesOf(list: ModelList, page = PAGE): KnownPieces & { readonly cutShort: number[] } {
  const createdAt = list.rows.map(({ versions }) => versions[0]?.createdAt ?? 0).sort((a, b) => a - b);
  const cutShort: number[] = [];
  let rows = page;
  return {
    cutShort,
    cutsAfter(from = Number.NEGATIVE_INFINITY) {
      async function* known() {
        for (const instant of createdAt) if (instant >= from) yield { createdAt: instant };
      }
      return cutIntoPieces(known(), rows, 5);
    },
    onCutShort(shown) {
      cutShort.push(shown);
      const isSmaller = shown < rows;
      if (isSmaller) rows = shown;
      return isSmaller;
    },
  };
}

function readerOf(list: ModelList, pieces: KnownPieces | undefined, requests = Number.POSITIVE_INFINITY) {
  const witness = createWitness(list, { maxPages: 160 });
  const most = list.requests + requests;
  const asked: (Instant | undefined)[] = [];
  const reader = {
    ...witness.reader,
    pieces,
    hasRoom: () => list.requests < most,
    fetch: (request: Parameters<ModelList['fetch']>[0]) => {
      asked.push(request.range.created?.from);
      return list.fetch(request);
    },
  };
  return { reader, witness, asked };
}

/** The creation of the group that was created so many hours ago. */
const at = (hours: number) => NOON - hours * HOUR;

describe('a walk in pieces', () => {
  it('proves each piece with three requests, five pieces in a step', async () => {
    const list = hourly(100, 'random');
    const { reader, witness } = readerOf(list, piecesOf(list));

    const step = await walkPieces(START, UP_TO, reader);

    expect(step).toMatchObject({ covered: { from: undefined, to: at(10) }, isDone: false });
    expect(step?.position).toEqual({ coveredThrough: at(10), rangeWidth: DAY });
    expect(witness.missedOf({ created: { from: undefined, to: at(10) } })).toEqual([]);
    expect(list.requests).toBe(15);
  });

  it('continues where the last step ended', async () => {
    const list = hourly(100, 'random');
    const { reader, asked } = readerOf(list, piecesOf(list));

    await walkPieces({ coveredThrough: at(64), rangeWidth: DAY }, UP_TO, reader);

    expect(asked[0]).toBe(at(64));
    expect([...new Set(asked)]).toEqual([at(64), at(46), at(28)]);
  });

  it('keeps the proved pieces when there is no more room', async () => {
    const list = hourly(100, 'random');
    const { reader } = readerOf(list, piecesOf(list), 4);

    const step = await walkPieces(START, UP_TO, reader);

    expect(step).toMatchObject({ position: { coveredThrough: at(64) }, covered: { to: at(64) } });
    expect(list.requests).toBe(6);
  });

  it('keeps the proved pieces when the tick ends, and rejects if there are none', async () => {
    const endsAfter = async (requests: number) => {
      const list = hourly(100, 'random');
      const { reader } = readerOf(list, piecesOf(list));
      list.meanwhile = () => {
        if (list.requests > requests) throw new DeadlineReached('injected by the test');
      };
      return walkPieces(START, UP_TO, reader);
    };

    expect(await endsAfter(4)).toMatchObject({ covered: { from: undefined, to: at(82) } });
    await expect(endsAfter(2)).rejects.toThrow(DeadlineReached);
  });

  it.each([46, 40])('ends before its bound, %i hours ago, and without a known piece', async (hours) => {
    const list = hourly(100, 'random');
    const { reader, asked } = readerOf(list, piecesOf(list));

    const step = await walkPieces(START, at(hours), reader);
    const over = await walkPieces({ coveredThrough: at(46), rangeWidth: DAY }, at(hours), reader);
    const unknown = await walkPieces(START, UP_TO, { ...reader, pieces: undefined });

    expect(step).toMatchObject({ covered: { to: at(46) } });
    expect([over, unknown]).toEqual([undefined, undefined]);
    expect(asked).toHaveLength(9);
  });

  it('shows every group of the whole walk, also if groups are created meanwhile', async () => {
    const list = hourly(100, 'random');
    const pieces = piecesOf(list);
    const { reader, witness } = readerOf(list, pieces);
    list.meanwhile = () => {
      if (list.requests % 5 === 0) list.add({ createdAt: list.now });
    };

    const covered = [];
    let position = START;
    for (let isDone = false; !isDone; ) {
      const options = { ...reader, stamps: () => STAMPS, now: () => list.now };
      const step = await walkOn(position, options);
      ({ position, isDone } = step);
      covered.push(step.covered);
    }

    expect(covered).toEqual([
      { from: undefined, to: at(10) },
      { from: at(10), to: undefined },
    ]);
    expect(witness.missedOf({ created: { from: undefined, to: undefined } })).toEqual([]);
  });
});

describe('a piece that is not one page', () => {
  it('is covered even if it has groups that are not known yet', async () => {
    const list = hourly(40, 'random');
    const pieces = piecesOf(list);
    for (const minutes of idsFrom(1, 30)) list.add({ createdAt: at(30) + minutes * MINUTE });
    const { reader, witness } = readerOf(list, pieces);

    const step = await walkPieces(START, UP_TO, reader);

    expect(step).toMatchObject({ covered: { from: undefined, to: at(4) } });
    expect(witness.missedOf({ created: { from: undefined, to: at(4) } })).toEqual([]);
    expect(pieces.cutShort).toEqual([PAGE]);
  });

  it('is covered, and pieces stay as large, if groups leave it during each try', async () => {
    const list = hourly(40, 'created asc');
    const pieces = piecesOf(list);
    const { reader, asked } = readerOf(list, pieces);
    list.meanwhile = () => {
      const row = list.rows[list.requests];
      if (asked.length > 1 && asked.length < 8 && row !== undefined) list.remove(row);
    };

    const step = await walkPieces(START, UP_TO, reader);

    expect(step).toMatchObject({ covered: { from: undefined, to: at(4) } });
    expect(pieces.cutShort).toEqual([]);
  });

  it('is covered even if more groups than a page holds were created at once', async () => {
    const list = hourly(40, 'random');
    for (const minutes of idsFrom(1, 30))
      list.add({ createdAt: at(30), updatedAt: at(20) + minutes * MINUTE });
    const { reader, witness } = readerOf(list, piecesOf(list));

    const step = await walkPieces(START, UP_TO, reader);

    expect(step).toMatchObject({ covered: { from: undefined } });
    expect(witness.missedOf({ created: { from: undefined, to: step?.covered?.to } })).toEqual([]);
    expect(witness.seen.size).toBeGreaterThan(45);
  });

  it('makes later pieces smaller if the service sends fewer rows than requested', async () => {
    const list = hourly(40, 'random', clampedTo(8));
    const pieces = piecesOf(list);
    const { reader, witness } = readerOf(list, pieces);

    const first = await walkPieces(START, UP_TO, reader);
    const second = await walkPieces(START, UP_TO, reader);

    expect(first).toMatchObject({ position: START, covered: undefined, isDone: false });
    expect(pieces.cutShort).toEqual([8]);
    expect(second).toMatchObject({ covered: { from: undefined, to: at(5) } });
    expect(witness.missedOf({ created: { from: undefined, to: at(5) } })).toEqual([]);
  });

  it('ends the step if it is not proved, and the step covers the pieces before it', async () => {
    const list = hourly(60, 'random');
    const { reader } = readerOf(list, piecesOf(list));
    // Every answer about the second piece shows groups that were never there before.
    let id = 1_000;
    const fetch: typeof reader.fetch = async (request) => {
      const { from = 0, to = 0 } = request.range.created ?? {};
      const page = await reader.fetch(request);
      if (from < at(42) || to > at(24)) return page;
      id += 2;
      return {
        ...page,
        rows: [...page.rows, ...[id, id + 1].map((each) => aRow(each, { createdAt: at(30) }))],
      };
    };

    const step = await walkPieces(START, UP_TO, { ...reader, fetch });

    expect(step).toMatchObject({ covered: { from: undefined, to: at(42) }, isDone: false });
    expect(step?.position.coveredThrough).toBe(at(42));
  });
});

describe('the order of a list', () => {
  it('counts as lost if rows that have not changed show in another order', async () => {
    const list = hourly(40, 'random');
    const { reader } = readerOf(list, piecesOf(list));

    const step = await walkPieces(START, UP_TO, reader);

    expect(step).toMatchObject({ hasNoOrder: true, unstable: expect.stringContaining('another order') });
  });

  it('counts as lost if two rows of a later piece change places', async () => {
    const list = hourly(40, 'created asc');
    const { reader } = readerOf(list, piecesOf(list));
    const fetch: typeof reader.fetch = async (request) => {
      const page = await reader.fetch(request);
      const isSecondPieceAgain = list.requests === 6;
      return isSecondPieceAgain
        ? { ...page, rows: [...page.rows.slice(0, -2), ...page.rows.slice(-2).reverse()] }
        : page;
    };

    const step = await walkPieces(START, UP_TO, { ...reader, fetch });

    expect(step).toMatchObject({ covered: { to: at(4) }, hasNoOrder: true });
  });

  it.each(['updated asc', 'updated desc', 'heap', 'shuffled'] as const)(
    'counts as kept if rows moved because they changed: %s',
    async (order) => {
      const list = hourly(40, order);
      const { reader } = readerOf(list, piecesOf(list));
      list.meanwhile = () => {
        const row = list.rows[list.requests];
        if (row !== undefined) list.update(row);
      };

      const step = await walkPieces(START, UP_TO, reader);

      expect(step).toMatchObject({ hasNoOrder: false, unstable: undefined });
    },
  );
});
