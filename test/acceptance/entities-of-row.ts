import type { EntityKind, Fields } from './history.ts';

const PARTS: readonly [string, EntityKind, string, string][] = [
  ['returns', 'return_line_item', 'return-line-items', 'id'],
  ['shipments', 'shipment', 'shipments', 'id'],
  ['exchange_line_items', 'exchange_line_item', 'exchange-line-items', 'id'],
  ['refund_transactions', 'refund_transaction', 'refund-transactions', 'platform_id'],
];

export type Entities = ReadonlyMap<string, { readonly kind: EntityKind; readonly fields: Fields }>;

/** Returns the entities of a row, by their subjects in events. Omits the group's stamp, which is not a change by itself. */
export function entitiesOf(row: Fields): Entities {
  const { updated_at: _, ...fields } = row;
  const group = `return-groups/${row.id}`;
  const parts = PARTS.flatMap(([list, kind, path, key]) =>
    (row[list] as Fields[]).map(
      (part) =>
        [`${group}/${path}/${encodeURIComponent(String(part[key]))}`, { kind, fields: part }] as const,
    ),
  );
  return new Map([[group, { kind: 'return_group', fields }], ...parts]);
}
