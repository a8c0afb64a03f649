import { describe, expect, it } from 'vitest';
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

function first<Element>([element]: readonly Element[]): Element {
  if (element === undefined) throw new Error('The list is empty.');
  return element;
}
