import { describe, expect, it } from 'vitest';
import { type Page, PageOutOfReach } from '../../../shared/reading/page.ts';
import { provePage } from '../../../shared/reading/prove-page.ts';
import {
  aDepth,
  anUnreadableRow,
  aPage,
  createScriptedReader,
  failingFrom,
  idsFrom,
  pagesInTurn,
  rowsOf,
  type ScriptedOptions,
} from './some-rows.ts';

const RANGE = { updated: { from: 1, to: 2 } };
const FIRST = aPage(rowsOf(1, 2, 3));

async function prove(first: Page, answers: readonly Page['rows'][], options: ScriptedOptions = {}) {
  const reader = createScriptedReader(pagesInTurn(...answers), options);
  const verdict = await provePage(RANGE, first, reader);
  return { verdict, reader };
}

describe('a page is proved complete', () => {
  it('if nothing is behind it and a second read returns the same rows, in any order', async () => {
    const { verdict, reader } = await prove(FIRST, [[], rowsOf(3, 1, 2)]);

    expect(verdict).toBe('whole');
    expect(reader.requests).toEqual([
      { range: RANGE, offset: 3 },
      { range: RANGE, offset: 0 },
    ]);
    expect(reader.taken).toEqual([aPage([]), aPage(rowsOf(3, 1, 2))]);
  });

  it('if a second read returns more rows, as an open range may', async () => {
    const { verdict } = await prove(FIRST, [[], rowsOf(4, 3, 1, 2)]);

    expect(verdict).toBe('whole');
  });

  it('at once if it is empty', async () => {
    const { verdict, reader } = await prove(aPage([]), []);

    expect(verdict).toBe('whole');
    expect(reader.requests).toEqual([]);
  });

  it('at once if it is short and short pages are trusted', async () => {
    const { verdict, reader } = await prove(aPage(rowsOf(1, 2), { bytes: 900 }), [], {
      trustsShortPages: true,
    });

    expect(verdict).toBe('whole');
    expect(reader.requests).toEqual([]);
  });

  it('if rows leave before one repeated read, and none before the next', async () => {
    const { verdict, reader } = await prove(FIRST, [[], rowsOf(1, 3), [], rowsOf(3, 1)]);

    expect(verdict).toBe('whole');
    expect(reader.requests.map(({ offset }) => offset)).toEqual([3, 0, 2, 0]);
  });

  it('if a second read shows as many rows without an id', async () => {
    const first = aPage([...rowsOf(1), anUnreadableRow(), anUnreadableRow()]);

    const { verdict } = await prove(first, [[], [anUnreadableRow(undefined, 'other'), ...first.rows]]);

    expect(verdict).toBe('whole');
  });
});

describe('a page is not proved complete', () => {
  it('if a row is behind it', async () => {
    const { verdict, reader } = await prove(FIRST, [rowsOf(4)]);

    expect(verdict).toBe('larger');
    expect(reader.requests.length).toBe(1);
  });

  it('if a row is behind it after others left', async () => {
    const { verdict } = await prove(FIRST, [[], rowsOf(1, 2), rowsOf(3)]);

    expect(verdict).toBe('larger');
  });

  it('by a short length if that is not trusted, or if it is not short', async () => {
    const untrusted = await prove(aPage(rowsOf(1, 2), { bytes: 900 }), [rowsOf(3)]);
    const trusting = { trustsShortPages: true };
    const full = await prove(aPage(rowsOf(...idsFrom(1, 10)), { bytes: 900 }), [rowsOf(11)], trusting);
    const heavy = await prove(aPage(rowsOf(1, 2), { bytes: 64 * 1024 }), [rowsOf(3)], trusting);

    expect([untrusted.verdict, full.verdict, heavy.verdict]).toEqual(['larger', 'larger', 'larger']);
  });

  it('if the service refuses the page behind it', async () => {
    const refused = new PageOutOfReach('injected by the test');
    const reader = createScriptedReader(failingFrom(3, refused, pagesInTurn(FIRST.rows)));

    const verdict = await provePage(RANGE, FIRST, reader);

    expect(verdict).toBe('larger');
    expect(reader.requests.length).toBe(1);
  });

  it('if the page behind it fails for another reason: that is thrown', async () => {
    const failure = new Error('injected by the test');
    const reader = createScriptedReader(failingFrom(3, failure, pagesInTurn(FIRST.rows)));

    const proving = provePage(RANGE, FIRST, reader);

    await expect(proving).rejects.toBe(failure);
  });

  it('if the service shows no more rows of any list, and others exist', async () => {
    const [nothing, other] = [[], rowsOf(4)];

    // Two requests for the longest list by update, then one for groups that were created before.
    const { verdict } = await prove(FIRST, [nothing, FIRST.rows, nothing, nothing, other], {
      depth: aDepth({ trusted: 2 }),
    });

    expect(verdict).toBe('larger');
  });

  it('if rows are missing at every read', async () => {
    const { verdict, reader } = await prove(aPage(rowsOf(1, 2, 3, 4)), [
      [],
      rowsOf(1, 2, 3),
      [],
      rowsOf(1, 2),
      [],
      rowsOf(2),
    ]);

    expect(verdict).toBe('changed');
    expect(reader.requests.length).toBe(6);
  });

  it('if another row took the place of one', async () => {
    const { verdict } = await prove(FIRST, [[], rowsOf(1, 2, 4), [], rowsOf(1, 2, 5), [], rowsOf(1, 2, 6)]);

    expect(verdict).toBe('changed');
  });

  it('if it has a row twice, because another may be missing', async () => {
    const doubled = rowsOf(1, 2, 2);

    const { verdict } = await prove(aPage(doubled), [[], doubled, [], doubled, [], doubled]);

    expect(verdict).toBe('changed');
  });

  it('if a second read shows fewer rows without an id', async () => {
    const few = [anUnreadableRow(), ...rowsOf(2, 3)];
    const { verdict } = await prove(aPage([anUnreadableRow(), anUnreadableRow(), ...rowsOf(2)]), [
      [],
      few,
      [],
      rowsOf(2, 3),
      [],
      rowsOf(2),
    ]);

    expect(verdict).toBe('changed');
  });
});
