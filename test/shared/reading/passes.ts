// Ranges of a minute and a list without changes, for tests of passes.
import { SECOND } from '../../../shared/instant.ts';
import type { PageRequest } from '../../../shared/reading/page.ts';
import { aPage, rowsOf } from './some-rows.ts';
import { NOON } from './worlds.ts';

export const UPDATED = { updated: { from: NOON - 60 * SECOND, to: NOON } };
export const CREATED = { created: { from: NOON - 60 * SECOND, to: NOON } };

/** A list without changes, in pages of `rows` rows. */
export function listOf(ids: readonly number[], rows: number) {
  return ({ offset }: PageRequest) => aPage(rowsOf(...ids.slice(offset, offset + rows)));
}

export const offsetsOf = ({ requests }: { requests: readonly PageRequest[] }) =>
  requests.map(({ offset }) => offset);
