// What is filled in without an event: fields that a snapshot could not have known, and all that an operator adopts.
import { describe, expect, it } from 'vitest';
import type { Unknowable } from '../../../shared/comparing/changes.ts';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, inShort, type Row, read, snapshotOf, take } from './a-reading.ts';

const unknowable: Unknowable = (kind, field) => kind === 'shipment' && field !== 'status';

function withShipment(fields: Readonly<Record<string, unknown>>): Row {
  return aRow((row) => {
    for (const shipment of row.shipments) Object.assign(shipment, fields);
  });
}

/** A service that does not send these fields yet. */
const BARE = { carrier: undefined, tracking_number: undefined, return_ids: undefined };
const FULL = { carrier: 'UPS', tracking_number: '1Z', return_ids: [1_844_671] };
const UNPUBLISHED = { carrier: null, tracking_number: null, return_ids: [] };

/** A snapshot of the bare row with its new fields filled in. */
function filledIn(): Snapshot {
  const { snapshot } = take(snapshotOf(read(withShipment(BARE))), read(withShipment(FULL), 2 * MINUTE), {
    unknowable,
  });
  if (snapshot === undefined) throw new Error('The filled in snapshot was not saved.');
  return snapshot;
}

describe('a field that the snapshot could not know', () => {
  it('is filled in without an event, and noted as unpublished', () => {
    const taken = take(snapshotOf(read(withShipment(BARE))), read(withShipment(FULL), 2 * MINUTE), {
      unknowable,
    });

    expect(taken).toMatchObject({ verdict: 'differs', events: [] });
    expect(taken.snapshot?.projection.shipments?.[0]).toMatchObject(FULL);
    expect(taken.snapshot?.unpublished).toEqual({ 'shipment/1844670': UNPUBLISHED });
  });

  it('is published if the snapshot was written when the service already sent it', () => {
    const longer = withShipment({ ...FULL, return_ids: [1_844_671, 1_844_672] });

    const taken = take(snapshotOf(read(withShipment(FULL))), read(longer, 2 * MINUTE), { unknowable });

    expect(inShort(taken.events)).toEqual([['shipment.updated', '1844670', { return_ids: [1_844_671] }]]);
  });

  it('needs no further save', () => {
    const again = take(filledIn(), read(withShipment(FULL), 5 * MINUTE));

    expect(again.verdict).toBe('unchanged');
  });

  it("is part of the entity's next event, with the published value in the previous attributes", () => {
    const changed = take(filledIn(), read(withShipment({ ...FULL, status: 'DELIVERED' }), 5 * MINUTE));
    const next = take(changed.snapshot, read(withShipment({ ...FULL, status: 'FAILED' }), 8 * MINUTE));

    expect(inShort(changed.events)).toEqual([
      ['shipment.status_changed', '1844670', { status: 'IN_TRANSIT', ...UNPUBLISHED }],
    ]);
    expect(changed.snapshot?.unpublished).toEqual({});
    expect(inShort(next.events)).toEqual([['shipment.status_changed', '1844670', { status: 'DELIVERED' }]]);
  });

  it('makes an event as soon as it changes again', () => {
    const { events } = take(filledIn(), read(withShipment({ ...FULL, carrier: 'DHL' }), 5 * MINUTE));

    expect(inShort(events)).toEqual([['shipment.updated', '1844670', UNPUBLISHED]]);
    expect(events[0]?.data.object).toMatchObject({ ...FULL, carrier: 'DHL' });
  });

  it('makes no event if it returns to the published value', () => {
    const taken = take(filledIn(), read(withShipment({ ...FULL, carrier: null }), 5 * MINUTE));

    expect(taken).toMatchObject({ verdict: 'differs', events: [] });
    expect(taken.snapshot?.unpublished).toEqual({
      'shipment/1844670': { tracking_number: null, return_ids: [] },
    });
  });

  it('stays noted while its entity or the array does not show', () => {
    const lacking = take(filledIn(), read({ ...aRow(), shipments: [] }, 5 * MINUTE)).snapshot;
    const leftOut = take(lacking, read({ ...renamed(), shipments: undefined }, 7 * MINUTE)).snapshot;
    const back = take(leftOut, read({ ...withShipment({ ...FULL, carrier: 'DHL' }) }, 9 * MINUTE));

    expect(leftOut?.unpublished).toEqual({ 'shipment/1844670': UNPUBLISHED });
    expect(inShort(back.events)).toEqual([['shipment.updated', '1844670', UNPUBLISHED]]);
  });

  it('is dropped from the notes when its entity is removed', () => {
    const lacking = take(filledIn(), read({ ...aRow(), shipments: [] }, 5 * MINUTE)).snapshot;

    const gone = take(lacking, read({ ...aRow(), shipments: [] }, 7 * MINUTE));

    expect(inShort(gone.events)).toEqual([['shipment.removed', '1844670']]);
    expect(gone.snapshot?.unpublished).toEqual({});
  });

  it('is not part of the removal of its entity, which shows the state last published', () => {
    const before = filledIn();
    const lacking = take(before, read({ ...aRow(), shipments: [] }, 5 * MINUTE)).snapshot;

    const { events } = take(lacking, read({ ...aRow(), shipments: [] }, 7 * MINUTE));

    expect(events[0]?.data.object).toEqual({ ...before.projection.shipments?.[0], ...UNPUBLISHED });
  });

  it('is published if the snapshot has a value of it', () => {
    const { events } = take(snapshotOf(read(withShipment(FULL))), read(withShipment(BARE), 2 * MINUTE), {
      unknowable,
    });

    expect(inShort(events)).toEqual([['shipment.updated', '1844670', FULL]]);
  });

  it('is part of the event of another field that changes at the same time', () => {
    const { events } = take(
      snapshotOf(read(withShipment(BARE))),
      read(withShipment({ ...FULL, status: 'DELIVERED' }), 2 * MINUTE),
      { unknowable },
    );

    expect(inShort(events)).toEqual([
      ['shipment.status_changed', '1844670', { status: 'IN_TRANSIT', ...UNPUBLISHED }],
    ]);
  });
});

describe('an array that the snapshot could not know', () => {
  it.each([
    ['shipment', 'shipments'],
    ['return_line_item', 'returns'],
    ['exchange_line_item', 'exchange_line_items'],
    ['refund_transaction', 'refund_transactions'],
  ] as const)('of %ss is filled in without events', (kind, name) => {
    const snapshot = snapshotOf(read({ ...aRow(), [name]: undefined }));
    const reading = read(aRow(), 2 * MINUTE);

    const taken = take(snapshot, reading, {
      unknowable: (of, field) => of === kind && field === 'id',
    });
    const announced = take(snapshot, reading);

    expect(taken).toMatchObject({ verdict: 'differs', events: [] });
    expect(taken.snapshot?.projection).toEqual(JSON.parse(JSON.stringify(reading.projection)));
    expect(new Set(announced.events.map(({ type }) => type))).toEqual(new Set([`${kind}.created`]));
  });
});

function renamed(): Row {
  return aRow((row) => {
    row.order.name = '#renamed';
  });
}

describe('a mass change that an operator adopts', () => {
  it('changes what is known, and leaves what was published', () => {
    const before = snapshotOf(read(withShipment({ carrier: 'UPS' })));

    const adopted = take(before, read(withShipment({ carrier: 'Ups Inc.' }), 2 * MINUTE), { adopts: true });
    const next = take(
      adopted.snapshot,
      read(withShipment({ carrier: 'Ups Inc.', status: 'FAILED' }), 4 * MINUTE),
    );

    expect(adopted.events).toEqual([]);
    expect(adopted.snapshot?.projection.shipments?.[0]?.carrier).toBe('Ups Inc.');
    expect(inShort(next.events)).toEqual([
      ['shipment.status_changed', '1844670', { status: 'IN_TRANSIT', carrier: 'UPS' }],
    ]);
  });

  it('takes over entities that are new or gone without an event', () => {
    const before = snapshotOf(read(aRow()));
    const other = aRow((row) => {
      row.shipments = row.shipments.map((shipment) => ({ ...shipment, id: 99 }));
    });

    const first = take(before, read(other, 2 * MINUTE), { adopts: true });
    const second = take(first.snapshot, read(other, 4 * MINUTE), { adopts: true });

    expect([...first.events, ...second.events]).toEqual([]);
    expect(second.snapshot?.projection.shipments?.map(({ id }) => id)).toEqual([99]);
  });
});
