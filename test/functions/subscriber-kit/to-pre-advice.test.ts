import { describe, expect, it } from 'vitest';
import { toPreAdvice } from '../../../functions/subscriber-kit/to-pre-advice.ts';
import type { ReturnLineItem, Shipment } from '../../../shared/contract/entities.ts';
import type { WholeReturn } from '../../../shared/contract/return-message.ts';
import { committedExample } from '../../shared/contract/committed-contracts.ts';

const EXAMPLE = committedExample('return.changed').data.return as WholeReturn;
const [ITEM, , PARCEL] = EXAMPLE.entities as [ReturnLineItem, ReturnLineItem, Shipment];

function whole(
  items: readonly Partial<ReturnLineItem>[],
  parcels: readonly Partial<Shipment>[] = [{}],
): WholeReturn {
  const entities = [
    ...items.map((item, at) => ({
      ...ITEM,
      ...{ id: at + 1, platform_line_item_id: `line-${at + 1}`, shipment_id: null },
      ...item,
    })),
    ...parcels.map((parcel, at) => ({
      ...PARCEL,
      ...{ id: 70 + at, tracking_number: `T${at}`, return_ids: [] },
      ...parcel,
    })),
  ];
  return { ...EXAMPLE, entities };
}

describe('toPreAdvice', () => {
  it('announces the goods and parcels of a return, with the ids that refer to it', () => {
    const advice = toPreAdvice(EXAMPLE);

    expect(advice).toEqual({
      returnGroupId: 100104,
      order: { id: 5000104, name: '#1104', platform_id: 'gid://platform/Order/45000103' },
      parcels: [
        {
          shipmentId: 1001041,
          carrier: 'FedEx',
          trackingNumber: '779100000001030R',
          status: 'DELIVERED',
          lineItemIds: [10010401, 10010402],
        },
      ],
      lines: [
        {
          sku: 'LSH-OLI-S',
          barcode: '4006381028984',
          productName: 'Linen Shirt',
          variantName: 'Olive / S',
          quantity: 1,
          lineItemIds: [10010401],
          orderLineItemIds: ['gid://platform/LineItem/21010401'],
        },
        {
          sku: 'TRN-RUS-M',
          barcode: null,
          productName: 'Trail Runner',
          variantName: 'Rust / M',
          quantity: 1,
          lineItemIds: [10010402],
          orderLineItemIds: ['gid://platform/LineItem/21010402'],
        },
      ],
    });
  });

  it.each<[string, readonly Partial<ReturnLineItem>[], readonly (readonly unknown[])[]]>([
    [
      'adds up the items of one SKU',
      [
        { sku: 'A', quantity: 1 },
        { sku: 'B', quantity: 1 },
        { sku: 'A', quantity: 2 },
      ],
      [
        ['A', 3, [1, 3], ['line-1', 'line-3']],
        ['B', 1, [2], ['line-2']],
      ],
    ],
    [
      'keeps goods without a SKU apart by variant',
      [
        { sku: null, variant_platform_id: 'v1', quantity: 1 },
        { sku: '', variant_platform_id: 'v2', quantity: 1 },
        { sku: null, variant_platform_id: 'v1', quantity: 4 },
      ],
      [
        [null, 5, [1, 3], ['line-1', 'line-3']],
        ['', 1, [2], ['line-2']],
      ],
    ],
    [
      'keeps items apart of which neither SKU nor variant is known',
      [
        { sku: null, variant_platform_id: null, quantity: 1 },
        { sku: null, variant_platform_id: null, quantity: 1 },
      ],
      [
        [null, 1, [1], ['line-1']],
        [null, 1, [2], ['line-2']],
      ],
    ],
    [
      'has no sum where a quantity is unknown, and leaves out an unknown line of the order',
      [
        { sku: 'A', quantity: 1 },
        { sku: 'A', quantity: null, platform_line_item_id: null },
      ],
      [['A', null, [1, 2], ['line-1']]],
    ],
  ])('%s', (_behaviour, items, expected) => {
    const advice = toPreAdvice(whole(items));

    expect(
      advice?.lines.map(({ sku, quantity, lineItemIds, orderLineItemIds }) => [
        ...[sku, quantity],
        ...[lineItemIds, orderLineItemIds],
      ]),
    ).toEqual(expected);
  });

  it.each<[string, WholeReturn, readonly (readonly [string, readonly number[]])[], readonly number[]]>([
    ['the items that a parcel names', whole([{}, {}], [{ return_ids: [1, 2] }]), [['T0', [1, 2]]], [1, 2]],
    ['the items that name a parcel', whole([{ shipment_id: 70 }]), [['T0', [1]]], [1]],
    ['items that are on no parcel, with the return', whole([{}]), [['T0', []]], [1]],
    [
      'completed items: a refund may come before the parcel',
      whole([{ status: 'COMPLETED' }]),
      [['T0', []]],
      [1],
    ],
    ['no canceled item', whole([{ status: 'CANCELED', shipment_id: 70 }, {}]), [['T0', []]], [2]],
    [
      'no item that is only on a parcel without a tracking number',
      whole([{}, {}], [{ return_ids: [1] }, { return_ids: [2], tracking_number: null }]),
      [['T0', [1]]],
      [1],
    ],
    [
      'an item whose first label was canceled, in its second parcel',
      whole([{ shipment_id: 70 }], [{ return_ids: [1], status: 'CANCELED' }, { return_ids: [1] }]),
      [['T1', [1]]],
      [1],
    ],
    [
      'each of several parcels',
      whole([{}, {}], [{ return_ids: [1] }, { return_ids: [2] }]),
      [
        ['T0', [1]],
        ['T1', [2]],
      ],
      [1, 2],
    ],
  ])('announces %s', (_what, of, parcels, items) => {
    const advice = toPreAdvice(of);

    expect(advice?.parcels.map(({ trackingNumber, lineItemIds }) => [trackingNumber, lineItemIds])).toEqual(
      parcels,
    );
    expect(advice?.lines.flatMap(({ lineItemIds }) => lineItemIds)).toEqual(items);
  });

  it.each<[string, WholeReturn | null]>([
    ['was removed or forgotten', null],
    ['has no parcel', whole([{}], [])],
    ['has no tracking number', whole([{}], [{ tracking_number: null }, { tracking_number: ' ' }])],
    ['has only a canceled parcel', whole([{}], [{ status: 'CANCELED' }])],
    ['has no item', whole([])],
    ['has only canceled items', whole([{ status: 'CANCELED' }])],
    [
      'has goods only in a parcel without a number',
      whole([{ shipment_id: 71 }], [{}, { tracking_number: null }]),
    ],
  ])('announces nothing of a return that %s', (_why, of) => {
    const advice = toPreAdvice(of);

    expect(advice).toBeUndefined();
  });
});
