// Lists of a range of eight hours in which only the order changes.
import { HOUR, SECOND } from '../../../shared/instant.ts';
import type { PageRequest } from '../../../shared/reading/page.ts';
import { aPage, aRow, idsFrom } from './some-rows.ts';
import { NOON } from './worlds.ts';

export const FROM = NOON - 8 * HOUR;
export const RANGE = { updated: { from: FROM, to: NOON } };

/** A list of rows, one an hour from FROM on and then more, in which only the order changes. */
export function listOf(
  rows: number,
  pageRows: number,
  arrange: <Row>(rows: Row[], request: number) => Row[],
) {
  const all = idsFrom(1, rows).map((id) =>
    aRow(id, {
      updatedAt: FROM + ((id * 7) % rows) * Math.floor((8 * HOUR) / rows),
      createdAt: FROM - id * HOUR,
    }),
  );
  return ({ range, offset }: PageRequest, index: number) => {
    const { from = 0, to = Number.POSITIVE_INFINITY } = range.updated ?? {};
    const within = all.filter(({ updatedAt }) => updatedAt >= from - SECOND && updatedAt <= to);
    return aPage(arrange(within, index).slice(offset, offset + pageRows));
  };
}

export const inOrder = <Row>(rows: Row[]) => rows;
/** A different order for each request: reversed, and rotated. */
export const restless = <Row>(rows: Row[], request: number) => {
  const begin = rows.length === 0 ? 0 : (request * 5) % rows.length;
  const turned = [...rows.slice(begin), ...rows.slice(0, begin)];
  return request % 2 === 0 ? turned : turned.reverse();
};
