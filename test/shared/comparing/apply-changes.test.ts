import { describe, expect, it } from 'vitest';
import { applyChanges } from '../../../shared/comparing/apply-changes.ts';
import type { KnownState } from '../../../shared/comparing/change-set.ts';
import { aRow, read } from './a-reading.ts';

function setUp() {
  const { projection } = read(aRow());
  const [first, second] = projection.return_line_items ?? [];
  const [refund] = projection.refund_transactions ?? [];
  if (!first || !second || !refund) throw new Error('The row has two line items and a refund.');
  const state: KnownState = {
    projection,
    absences: { 'return_line_item/1844671': 1, 'return_line_item/1844672': 2 },
    unpublished: {
      'return_line_item/1844671': { quantity: null },
      'return_line_item/1844672': { quantity: null },
    },
  };
  return { projection, first, second, refund, state };
}

describe('the state after some of several changes are published', () => {
  it('lacks a removed entity and its notes', () => {
    const { first, projection, second, state } = setUp();
    const next = applyChanges(state, [{ verb: 'removed', object: first }]);

    expect(next).toEqual({
      projection: { ...projection, return_line_items: [second] },
      absences: { 'return_line_item/1844672': 2 },
      unpublished: { 'return_line_item/1844672': { quantity: null } },
    });
  });

  it('has an entity as it was published, without notes on it', () => {
    const { first, projection, second, state } = setUp();
    const object = { ...second, status: 'COMPLETED' };

    const next = applyChanges(state, [
      { verb: 'status_changed', object, previous: { status: 'OPEN', quantity: null }, filled: {} },
    ]);

    expect(next).toEqual({
      projection: { ...projection, return_line_items: [first, object] },
      absences: { 'return_line_item/1844671': 1 },
      unpublished: { 'return_line_item/1844671': { quantity: null } },
    });
  });

  it('has a created entity, also in an array that was unknown', () => {
    const { first, projection, refund, second } = setUp();
    const nothing = { ...projection, return_line_items: undefined, refund_transactions: undefined };

    const next = applyChanges({ projection: nothing, absences: {}, unpublished: {} }, [
      { verb: 'created', object: first },
      { verb: 'created', object: refund, place: 'x' },
      { verb: 'created', object: second },
    ]);

    expect(next).toEqual({ projection, absences: {}, unpublished: {} });
  });

  it('has a created refund in addition to the known ones', () => {
    const { projection, refund, state } = setUp();
    const another = { ...refund, platform_id: null };

    const next = applyChanges(state, [{ verb: 'created', object: another, place: 'x' }]);

    expect(next).toEqual({ ...state, projection: { ...projection, refund_transactions: [refund, another] } });
  });

  it('has the group as it was published', () => {
    const { projection, state } = setUp();
    const object = { ...projection.group, return_outcome: 'credit' };

    const next = applyChanges(state, [
      { verb: 'updated', object, previous: { return_outcome: 'exchange+refund' }, filled: {} },
    ]);

    expect(next).toEqual({ ...state, projection: { ...projection, group: object } });
  });
});
