import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import { readByCounting } from '../../../shared/reading/count-rows.ts';
import { type Page, PageOutOfReach } from '../../../shared/reading/page.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import {
  aDepth,
  anUnreadableRow,
  aPage,
  aRow,
  createScriptedReader,
  failingFrom,
  idsFrom,
  pagesInTurn,
  rowsOf,
} from './some-rows.ts';
import { NOON } from './worlds.ts';

const RANGE = { updated: { from: 1, to: 2 } };

async function count(...answers: readonly Page['rows'][]) {
  const reader = createScriptedReader(pagesInTurn(...answers));
  return { isWhole: await readByCounting(RANGE, reader), reader };
}

describe('counting', () => {
  it('is complete once it has seen as many different rows as there are', async () => {
    const { isWhole, reader } = await count(rowsOf(1, 2), rowsOf(3), [], rowsOf(1, 2), rowsOf(3));

    expect(isWhole).toBe(true);
    expect(reader.requests.length).toBe(5);
    expect(reader.taken.length).toBe(5);
  });

  it('is not complete after two passes that agree', async () => {
    const agreeing = [rowsOf(1, 2), rowsOf(2), []];

    const { isWhole, reader } = await count(...agreeing, ...agreeing, ...agreeing, rowsOf(1, 2), rowsOf(3));

    expect(isWhole).toBe(true);
    expect(reader.requests.length).toBe(11);
  });

  it('uses only rows seen after the count of the list: rows seen before may have left since', async () => {
    const { isWhole, reader } = await count(rowsOf(1, 2), rowsOf(3, 4), [], rowsOf(5, 6), rowsOf(7, 8), []);

    expect(isWhole).toBe(true);
    expect(reader.requests.length).toBe(5);
  });

  it('counts a row only once if it sees it again', async () => {
    const { isWhole, reader } = await count(
      rowsOf(1, 2, 3),
      [],
      rowsOf(1, 2),
      rowsOf(1, 2),
      rowsOf(2, 1),
      rowsOf(3),
    );

    expect(isWhole).toBe(true);
    expect(reader.requests.length).toBe(6);
  });

  it('uses the smallest count: rows may leave between two counts', async () => {
    const { isWhole, reader } = await count(rowsOf(1, 2, 3), [], rowsOf(1, 2), [], rowsOf(2, 1));

    expect(isWhole).toBe(true);
    expect(reader.requests.length).toBe(5);
  });

  it('is complete at once if the list is empty', async () => {
    const { isWhole, reader } = await count([]);

    expect(isWhole).toBe(true);
    expect(reader.requests.length).toBe(1);
  });

  it('assumes as many rows without an id as one page has shown', async () => {
    const hidden = (rows: number) => Array.from({ length: rows }, () => anUnreadableRow());

    const { isWhole, reader } = await count(
      [...rowsOf(1), ...hidden(3)],
      [],
      [...rowsOf(1), ...hidden(2)],
      hidden(1),
      hidden(3),
    );

    expect(isWhole).toBe(true);
    expect(reader.requests.length).toBe(5);
  });

  it('advances by the received rows, with another page size in each pass', async () => {
    const { reader } = await count(
      ...[rowsOf(1, 2, 3), rowsOf(4, 5), []],
      ...[rowsOf(1, 2), rowsOf(2, 3), rowsOf(1), []],
      ...[rowsOf(1, 2), []],
      rowsOf(1, 2),
    );

    const places = reader.requests.map(({ offset, limit }) => [offset, limit]);
    expect(places.slice(0, 9)).toEqual([
      ...[
        [0, 200],
        [3, 200],
        [5, 200],
      ],
      ...[
        [0, 2],
        [2, 2],
        [4, 2],
        [5, 2],
      ],
      ...[
        [0, 1],
        [2, 1],
      ],
    ]);
    expect(reader.requests.every(({ range }) => range === RANGE)).toBe(true);
  });

  it('returns to the largest page size after eight passes', async () => {
    const first = rowsOf(...idsFrom(1, 22));
    const reader = createScriptedReader((_, index) =>
      aPage(index === 0 ? first : index % 2 === 0 ? rowsOf(1, 1) : []),
    );

    await readByCounting(RANGE, reader);

    const firsts = reader.requests.filter(({ offset }) => offset === 0).map(({ limit }) => limit);
    expect(firsts.slice(0, 10)).toEqual([200, 21, 20, 19, 18, 17, 16, 15, 22, 21]);
  });

  it('fails after a thousand requests', async () => {
    const reader = createScriptedReader(({ offset }) => aPage(offset < 4 ? rowsOf(1, 2) : []));

    const isWhole = await readByCounting(RANGE, reader);

    expect(isWhole).toBe(false);
    expect(reader.requests.length).toBe(1_000);
  });

  it('fails where the service refuses a page', async () => {
    const refused = new PageOutOfReach('injected by the test');
    const reader = createScriptedReader(failingFrom(2, refused, pagesInTurn(rowsOf(1, 2))));

    const isWhole = await readByCounting(RANGE, reader);

    expect(isWhole).toBe(false);
    expect(reader.requests.length).toBe(2);
  });

  it('rejects if a page fails for another reason', async () => {
    const failure = new Error('injected by the test');
    const reader = createScriptedReader(failingFrom(2, failure, pagesInTurn(rowsOf(1, 2))));

    const counting = readByCounting(RANGE, reader);

    await expect(counting).rejects.toBe(failure);
  });

  it.each([
    ['is complete if nothing is', [], true],
    ['is not complete if a row is', rowsOf(99), false],
  ])('%s behind the rows of a half, where lists may show only their first rows', async (_, behind, isSo) => {
    const rows = idsFrom(1, 12).map((id) => aRow(id, { createdAt: NOON - (id > 6 ? id + 9 : id) * HOUR }));
    const reader = createScriptedReader(pagesInTurn(rows, [], rows, [], behind), { depth: aDepth() });

    const isWhole = await readByCounting({ created: { from: NOON - 24 * HOUR, to: NOON } }, reader);

    expect(isWhole).toBe(isSo);
    expect(reader.requests.map(({ offset }) => offset)).toEqual([0, 12, 0, 6, 6]);
  });

  it('completes even if the order changes with each request', async () => {
    const random = createSeededRandom(3);
    const ids = idsFrom(1, 60);
    const reader = createScriptedReader(({ offset, limit = 200 }) => {
      const shuffled = ids
        .map((id) => ({ id, luck: random.next() }))
        .sort((a, b) => a.luck - b.luck)
        .map(({ id }) => id);
      return aPage(rowsOf(...shuffled.slice(offset, offset + Math.min(limit, 20))));
    });

    const isWhole = await readByCounting(RANGE, reader);

    const seen = new Set(
      reader.taken.flatMap(({ rows }) => rows.map((row) => row.kind === 'readable' && row.group.id)),
    );
    expect(isWhole).toBe(true);
    expect(seen.size).toBe(60);
  });
});
