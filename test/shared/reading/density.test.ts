import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import { createDensity } from '../../../shared/reading/density.ts';
import { anUnreadableRow, aPage, aRow, createScriptedReader, idsFrom } from './some-rows.ts';
import { NOON } from './worlds.ts';

const interval = { from: NOON - 20 * HOUR, to: NOON };

/** The density of rows that were created these hours before noon, in pages of ten. */
async function densityOf(...hours: readonly number[]) {
  const density = createDensity();
  const reader = density.watch(createScriptedReader(() => aPage([])));
  const rows = hours.map((hour, index) => aRow(index, { createdAt: NOON - hour * HOUR }));
  for (let start = 0; start < rows.length; start += 10)
    await reader.take(aPage(rows.slice(start, start + 10)));
  return density;
}

describe('the time in which a number of pages of groups is created', () => {
  it('follows from the last quarter of the seen groups', async () => {
    const density = await densityOf(4, 1, 2, 3, ...idsFrom(8, 19));

    const time = density.timeOf(3, interval);

    expect(time).toBe((4 * HOUR * 3 * 10) / 4);
  });

  it('does not depend on the order of the groups', async () => {
    const density = await densityOf(...idsFrom(8, 19).reverse(), 3, 4, 1, 2);

    expect(density.timeOf(3, interval)).toBe((4 * HOUR * 3 * 10) / 4);
  });

  it('counts only groups of the interval: from its start on, before its end', async () => {
    const density = await densityOf(0, 1, 2, 3, ...idsFrom(8, 16), 20, 30);

    const withFirst = density.timeOf(1, interval);
    const withoutFirst = density.timeOf(1, { from: interval.from + 1, to: NOON });

    expect(withFirst).toBe((8 * HOUR * 10) / 4);
    expect(withoutFirst).toBe((3 * HOUR * 10) / 3);
  });

  it('is unknown for fewer than ten groups', async () => {
    const nine = await densityOf(...idsFrom(1, 9));
    const ten = await densityOf(...idsFrom(1, 10));

    expect(nine.timeOf(1, interval)).toBeUndefined();
    expect(ten.timeOf(1, interval)).toBe((3 * HOUR * 10) / 3);
  });

  it('counts unreadable rows for the page size, not as groups', async () => {
    const density = createDensity();
    const rows = idsFrom(1, 12).map((hour) => aRow(hour, { createdAt: NOON - hour * HOUR }));

    await density.watch(createScriptedReader(() => aPage([]))).take(aPage([...rows, anUnreadableRow()]));

    expect(density.timeOf(1, interval)).toBe((3 * HOUR * 13) / 3);
  });

  it('is measured while the rows are passed on', async () => {
    const behind = createScriptedReader(() => aPage([]));
    const page = aPage([aRow(1)]);

    const reader = createDensity().watch(behind);
    await reader.take(page);

    expect(behind.taken).toEqual([page]);
    expect(reader.maxPages).toBe(behind.maxPages);
  });
});
