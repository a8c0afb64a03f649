// Snapshots, events and saves of realistic size.
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import type { ExchangeLineItem, ReturnLineItem, Shipment } from '../../shared/contract/entities.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { formatEventId } from '../../shared/contract/event-id.ts';
import { MINUTE } from '../../shared/instant.ts';
import type { GroupKey, Save } from '../../shared/ports.ts';

export const ACME = { source: 'acme', generation: 'mi8x2k' } as const;
const CREATED = 1_763_457_694_012_345;

export function aKey(
  group: GroupKey['group'],
  source: Pick<GroupKey, 'source' | 'generation'> = ACME,
): GroupKey {
  return { source: source.source, generation: source.generation, group };
}

const money = (amount: number) => ({
  shop_money: { amount, currency_code: 'GBP' },
  presentment_money: { amount: Math.round(amount * 117) / 100, currency_code: 'EUR' },
});

function aLineItem(id: number): ReturnLineItem {
  return {
    type: 'return_line_item',
    id,
    platform_id: null,
    created_at: '2026-11-18T09:21:34.581233Z',
    status: 'OPEN',
    shipment_id: 77_120,
    platform_refund_transaction_ids: [],
    platform_line_item_id: String(14_093_311_448 + id * 7919),
    product_platform_id: String(8_120_443_117 + id * 104_729),
    product_name: ['Merino Crewneck Jumper', 'Slim Stretch Chinos', 'Canvas Low Trainers'][id % 3] ?? null,
    variant_platform_id: String(45_101_887_232 + id * 15_485_863),
    variant_name: ['Navy / M', 'Khaki / 32', 'White / 9.5'][id % 3] ?? null,
    sku: ['MCJ-NVY-M', 'SSC-KHK-32', 'CLT-WHT-95'][id % 3] ?? null,
    barcode: String(5_012_345_678_900 + id),
    quantity: 1,
    return_reason_details: { value: 'too_small', label: 'Too small' },
    total: money([79.5, 68, 94.99][id % 3] ?? 0),
    last_rma_number: null,
    last_rma_provider: null,
  };
}

export function aShipment(groupId: number, status = 'IN_TRANSIT'): Shipment {
  return {
    type: 'shipment',
    id: groupId + 77_120,
    status,
    carrier: 'UPS',
    tracking_number: `1Z999AA1012${groupId}`,
    created_at: '2026-11-18T09:22:02.119283Z',
    shipped_at: '2026-11-19T14:03:51.000000Z',
    delivered_at: null,
    return_ids: [1, 2, 3].map((place) => groupId * 10 + place),
  };
}

function anExchange(groupId: number): ExchangeLineItem {
  return {
    type: 'exchange_line_item',
    id: `6f1c4f0e-7a55-4d0e-9a3b-${String(groupId).padStart(12, '0')}`,
    status: 'UNPROCESSED',
    line_item_platform_id: null,
    product_platform_id: '8120757304',
    product_name: 'Merino Crewneck Jumper',
    variant_platform_id: '45101902718',
    variant_name: 'Navy / L',
    sku: 'MCJ-NVY-L',
    quantity: 1,
    total: money(79.5),
  };
}

/** A group of three line items, a shipment and an exchange. */
export function aSnapshot(groupId: number, version = 1, changes: Partial<Snapshot> = {}): Snapshot {
  const createdAt = CREATED + groupId * MINUTE;
  const receivedAt = CREATED + version * MINUTE;
  return {
    groupId,
    version,
    sequence: 0,
    projectionVersion: 1,
    updatedAt: createdAt,
    createdAt,
    sentAt: receivedAt - 120_000,
    receivedAt,
    projection: {
      group: {
        type: 'return_group',
        id: groupId,
        created_at: '2026-11-18T09:21:34.012345Z',
        updated_at: '2026-11-20T10:15:02.123456Z',
        return_outcome: 'exchange+refund',
        credit_method: null,
        return_method: 'TRADITIONAL',
        order: {
          id: 9_001_234 + groupId,
          name: `#${104_233 + groupId}`,
          platform_id: String(5_730_118_844_211 + groupId),
        },
      },
      shipments: [aShipment(groupId)],
      return_line_items: [1, 2, 3].map((place) => aLineItem(groupId * 10 + place)),
      exchange_line_items: [anExchange(groupId)],
      refund_transactions: [],
    },
    absences: {},
    unpublished: {},
    ...changes,
  };
}

/** A nearly empty snapshot. */
export function aSmallSnapshot(groupId: number, version = 1, changes: Partial<Snapshot> = {}): Snapshot {
  const snapshot = aSnapshot(groupId, version);
  const nothing = { shipments: undefined, return_line_items: [], exchange_line_items: undefined };
  return { ...snapshot, projection: { ...snapshot.projection, ...nothing }, ...changes };
}

export function anEvent(
  key: GroupKey,
  sequence: number,
  object = aShipment(Number(key.group), 'DELIVERED'),
): FeedEvent {
  const { group } = aSnapshot(Number(key.group)).projection;
  return {
    specversion: '1.0',
    id: formatEventId({ ...key, sequence }),
    source: `/sources/${key.source}`,
    type: 'shipment.status_changed',
    subject: `return-groups/${key.group}/shipments/${object.id}`,
    time: '2026-11-20T10:15:02.123456Z',
    datacontenttype: 'application/json',
    dataschema: 'urn:returns-change-feed:shipment:1',
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: `${key.source}/${key.group}`,
    data: {
      generation: key.generation,
      sequence,
      return_group: {
        id: group.id,
        created_at: group.created_at,
        updated_at: group.updated_at,
        return_outcome: group.return_outcome,
        return_method: group.return_method,
        order: group.order,
      },
      object,
      items: [],
      items_total: 0,
      changed: ['status'],
      previous_attributes: { status: 'IN_TRANSIT' },
      observed: {
        after: '2026-11-20T10:13:58.400000Z',
        by: '2026-11-20T10:15:03.000000Z',
        through: 'poll',
      },
    },
  };
}

/** The save that follows a version, with this many events. */
export function aSave(
  key: GroupKey,
  after: Pick<Snapshot, 'version' | 'sequence'> | undefined,
  events: number,
): Save {
  const expectedVersion = after?.version ?? 0;
  const first = (after?.sequence ?? 0) + 1;
  const sequence = first + events - 1;
  return {
    snapshot: aSnapshot(Number(key.group), expectedVersion + 1, { sequence }),
    expectedVersion,
    events: Array.from({ length: events }, (_, at) => anEvent(key, first + at)),
  };
}

/** First saves of small snapshots, without events. */
export function newSaves(ids: readonly number[]) {
  return ids.map((id) => ({ snapshot: aSmallSnapshot(id), expectedVersion: 0 }));
}
