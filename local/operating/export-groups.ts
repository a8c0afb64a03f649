// Each known return group as it was last published, for a consumer that starts with the present state: as it is
// in events, or as rows of CSV.

import { stringify } from 'csv-stringify/sync';
import { wholeReturn } from '../../shared/comparing/whole-return.ts';
import type { WholeReturn } from '../../shared/contract/return-message.ts';
import type { Instant } from '../../shared/instant.ts';
import type { SnapshotStore } from '../../shared/ports.ts';
import { loadPresent, READ_GROUPS } from '../../shared/pulling/known-returns.ts';
import { printable } from '../cli/printable.ts';

export const EXPORTED_KINDS = [
  ...(['return_line_item', 'shipment', 'exchange_line_item', 'refund_transaction'] as const),
];

/** Conditions of an export. Without any, it has everything; with `types` or `statuses`, only entities that meet them. */
export interface ExportFilter {
  /** Only groups whose `updated_at` is not before. */
  readonly since?: Instant | undefined;
  readonly types?: readonly string[] | undefined;
  readonly statuses?: readonly string[] | undefined;
}

/** The groups of a source by their creation, without the removed ones. */
export async function* exportGroups(
  store: Pick<SnapshotStore, 'load' | 'knownCreatedBetween'>,
  source: Parameters<SnapshotStore['load']>[0],
  filter: ExportFilter = {},
): AsyncGenerator<WholeReturn> {
  let portion: number[] = [];
  const [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for await (const { groupId } of store.knownCreatedBetween(source, from, to)) {
    portion.push(groupId);
    if (portion.length < READ_GROUPS) continue;
    yield* exportSome(store, source, portion, filter);
    portion = [];
  }
  yield* exportSome(store, source, portion, filter);
}

async function* exportSome(
  store: Pick<SnapshotStore, 'load'>,
  source: Parameters<SnapshotStore['load']>[0],
  groups: readonly number[],
  { since = Number.NEGATIVE_INFINITY, types, statuses }: ExportFilter,
) {
  for (const snapshot of await loadPresent(store, source, groups)) {
    if (snapshot.updatedAt < since) continue;
    const group = wholeReturn(source.generation, snapshot);
    const entities = group.entities.filter(
      (entity) =>
        (types === undefined || types.includes(entity.type)) &&
        (statuses === undefined || ('status' in entity && statuses.includes(String(entity.status)))),
    );
    const isFiltered = types !== undefined || statuses !== undefined;
    if (!isFiltered || entities.length > 0) yield { ...group, entities };
  }
}

const COLUMNS = [
  ...(['return_group_id', 'order_name', 'updated_at', 'type', 'id', 'status', 'product_name'] as const),
  ...([
    'quantity',
    'carrier',
    'tracking_number',
    'shipped_at',
    'delivered_at',
    'amount',
    'currency',
  ] as const),
];

export const CSV_HEADER = COLUMNS.join(',');

/**
 * RFC 4180, without the end of the last line; empty for a return without entities. Control characters and line breaks
 * are escaped, so that no cell starts a formula after one.
 */
export function toCsv(group: WholeReturn): string {
  const cast = { string: printable };
  return stringify(rowsOf(group), { columns: COLUMNS, cast, escape_formulas: true, eof: false });
}

type Row = Partial<Record<(typeof COLUMNS)[number], unknown>>;

function rowsOf({ return_group: group, updated_at, entities }: WholeReturn): Row[] {
  const about = { return_group_id: group.id, order_name: group.order.name, updated_at };
  return entities.map((entity) => {
    const fields: Readonly<Record<string, unknown>> = { ...entity };
    const money = (fields.amount as { readonly shop_money?: Money } | undefined)?.shop_money;
    return {
      ...fields,
      ...about,
      id: fields.id ?? fields.platform_id,
      ...{ amount: money?.amount, currency: money?.currency_code },
    };
  });
}

interface Money {
  readonly amount?: unknown;
  readonly currency_code?: unknown;
}
