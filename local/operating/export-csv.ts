// The exported returns as CSV: a row for each entity, with the fields that people sort and filter by.
import type { ExportedGroup } from './export-groups.ts';

export const CSV_COLUMNS = [
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

type Row = Partial<Record<(typeof CSV_COLUMNS)[number], unknown>>;

export function toCsvRows({ return_group: group, updated_at, entities }: ExportedGroup): Row[] {
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
