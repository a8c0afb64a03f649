import { describe, expect, it } from 'vitest';
import { readStraight } from '../../../shared/reading/cover-range.ts';
import { FROM, inOrder, listOf, RANGE, restless } from './arranged-lists.ts';
import { aDepth, aPage, aRow, createScriptedReader } from './some-rows.ts';

describe('a range that is read directly', () => {
  it('is complete, with the stamps of its rows', async () => {
    const reader = createScriptedReader(listOf(30, 20, inOrder));

    const reading = await readStraight(RANGE, reader);

    expect(reading).toMatchObject({ outcome: 'whole', isShifted: false });
    expect(reading.reason).toBeUndefined();
    expect(reading.stamps.length).toBe(30);
  });

  it('is complete with one short page, with the stamps of its rows', async () => {
    const row = aRow(1, { updatedAt: FROM, createdAt: FROM });
    const reader = createScriptedReader(({ offset }) => aPage(offset === 0 ? [row] : [], { bytes: 900 }));

    const reading = await readStraight(RANGE, reader);

    expect(reading).toEqual({
      outcome: 'whole',
      isShifted: false,
      stamps: [{ createdAt: FROM, updatedAt: FROM }],
    });
  });

  it('is void in an unstable order of more than a page, with the reason', async () => {
    const reader = createScriptedReader(listOf(60, 20, restless));

    const reading = await readStraight(RANGE, reader);

    expect(reading).toMatchObject({ outcome: 'void', isShifted: false, reason: expect.any(String) });
    expect(reading.stamps.length).toBeGreaterThanOrEqual(20);
    expect(reader.requests.length).toBe(4);
  });

  it('is overlong if its pass is', async () => {
    const reader = createScriptedReader(listOf(500, 12, inOrder), { maxPages: 5 });

    const reading = await readStraight(RANGE, reader);

    expect(reading.outcome).toBe('overlong');
  });

  it('is overlong if the service shows only its first rows', async () => {
    const firstRows = <Row>(rows: Row[]) => rows.slice(0, 30);
    const reader = createScriptedReader(listOf(40, 20, firstRows), { depth: aDepth() });

    const reading = await readStraight(RANGE, reader);

    expect(reading).toMatchObject({ outcome: 'overlong', isShifted: false });
    expect(reading.stamps.length).toBe(30);
  });
});
