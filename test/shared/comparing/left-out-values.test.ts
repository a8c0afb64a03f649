import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../shared/comparing/digest.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, inShort, type Row, read, snapshotOf, take } from './a-reading.ts';

/** Fields that are required and never null by the service's document. */
const NEVER_NULL: readonly [string, (row: Row) => object][] = [
  ['quantity', (row) => first(row.returns)],
  ['quantity', (row) => first(row.exchange_line_items)],
  ['variant_platform_id', (row) => first(row.exchange_line_items)],
  ['return_method', (row) => row],
];

describe.each(NEVER_NULL)('%s, which is never null', (field, entityOf) => {
  const without = (row: Row) => void Reflect.deleteProperty(entityOf(row), field);
  const withNull = (row: Row) => void Reflect.set(entityOf(row), field, null);

  it.each([
    ['left out', without],
    ['null', withNull],
  ])('makes no event if it is %s in an answer, nor when it is back', (_, change) => {
    const snapshot = snapshotOf(read(aRow()));

    const lacking = take(snapshot, read(aRow(change), 2 * MINUTE));
    const back = take(snapshot, read(aRow(), 4 * MINUTE));

    expect([lacking.verdict, back.verdict]).toEqual(['unchanged', 'unchanged']);
  });

  it('keeps its value in the event of another change', () => {
    const snapshot = snapshotOf(read(aRow()));
    const changed = aRow((row) => {
      without(row);
      for (const entity of [...row.returns, ...row.exchange_line_items]) entity.status = 'CANCELED';
      row.credit_method = null;
    });

    const { events } = take(snapshot, read(changed, 2 * MINUTE));

    expect(events.length).toBeGreaterThan(0);
    for (const { data } of events) {
      expect(Reflect.get(data.object, field)).not.toBeNull();
      expect(data.return_group.return_method).toBe('TRADITIONAL');
    }
    for (const [, , previous] of inShort(events)) expect(previous).not.toHaveProperty(field);
  });
});

describe('a value that can’t be read', () => {
  const unreadable = (row: Row) => void Object.assign(first(row.shipments), { carrier: { name: 'UPS' } });

  it('is the known one, also in the event of another change', () => {
    const snapshot = snapshotOf(read(aRow()));
    const changed = aRow((row) => {
      unreadable(row);
      first(row.shipments).status = 'DELIVERED';
    });

    const alone = take(snapshot, read(aRow(unreadable), 2 * MINUTE));
    const { events } = take(snapshot, read(changed, 2 * MINUTE));

    expect(alone.verdict).toBe('unchanged');
    expect(inShort(events)).toEqual([['shipment.status_changed', '1844670', { status: 'IN_TRANSIT' }]]);
    expect(events[0]?.data.object).toMatchObject({ status: 'DELIVERED', carrier: 'UPS' });
  });

  it('is null at first sight, and updated once it can be read', () => {
    const snapshot = snapshotOf(read(aRow(unreadable)));

    const { events } = take(snapshot, read(aRow(), 2 * MINUTE));

    expect(snapshot.projection.shipments?.[0]?.carrier).toBeNull();
    expect(inShort(events)).toEqual([['shipment.updated', '1844670', { carrier: null }]]);
  });

  it('is not noticed as one that was shown: `observed.after` stays before it', () => {
    const snapshot = snapshotOf(read(aRow()));
    const changed = aRow((row) => {
      unreadable(row);
      first(row.shipments).status = 'DELIVERED';
    });

    const partial = take(snapshot, read(changed, 2 * MINUTE));

    expect(partial.snapshot?.sentAt).toBe(snapshot.sentAt);
  });
});

describe('an entity that can’t be read', () => {
  const withoutStatus = aRow((row) => void Reflect.deleteProperty(first(row.returns), 'status'));

  it('is not removed, nor is another one that its list lacks', () => {
    const alone = { ...withoutStatus, returns: withoutStatus.returns.slice(0, 1) };
    const before = take(snapshotOf(read(aRow())), read(alone, 2 * MINUTE));

    const after = take(before.snapshot, read(alone, 5 * MINUTE));

    expect(aRow().returns).toHaveLength(2);
    expect([before.events, after.events]).toEqual([[], []]);
  });

  it('is removed once its list is complete without it, which its digest shows', () => {
    const [, second] = aRow().returns;
    const complete = { ...aRow(), returns: [second] };
    const partial = take(
      snapshotOf(read(aRow())),
      read({ ...withoutStatus, credit_method: null }, 2 * MINUTE),
    );

    const lacking = take(partial.snapshot, read({ ...complete, credit_method: null }, 5 * MINUTE));
    const gone = take(lacking.snapshot, read({ ...complete, credit_method: null }, 8 * MINUTE));

    const digests = [withoutStatus, complete].map((row) => digestOf(read(row).projection));
    expect(new Set(digests).size).toBe(2);
    expect(lacking.verdict).toBe('differs');
    expect(inShort(gone.events)).toEqual([['return_line_item.removed', '1844671']]);
  });
});

function first<Element>([element]: readonly Element[]): Element {
  if (element === undefined) throw new Error('The list is empty.');
  return element;
}
