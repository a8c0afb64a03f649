// The exported returns as CSV: a row for each entity, with the fields that people sort and filter by.
import { stringify } from 'csv-stringify/sync';
import { printable } from '../cli/printable.ts';
import type { ExportedGroup } from './export-groups.ts';

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
export function toCsv(group: ExportedGroup): string {
  const cast = { string: printable };
  return stringify(rowsOf(group), { columns: COLUMNS, cast, escape_formulas: true, eof: false });
}

type Row = Partial<Record<(typeof COLUMNS)[number], unknown>>;

function rowsOf({ return_group: group, updated_at, entities }: ExportedGroup): Row[] {
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
