import { describe, expect, it } from 'vitest';
import type { EntityHistory } from '../acceptance/history.ts';
import { evidenceOf, stateOf } from './known-states.ts';
import { type Change, delaysOf, mostWithin, quantile, wrongAt } from './measure.ts';

describe('the delay of a change', () => {
  it('is counted as never for a change that the reader does not know', () => {
    const evidence = evidenceWith([changed(10, 'IN_TRANSIT')], []);

    expect(delaysOf(evidence)).toEqual({ known: [], never: 1, unseen: 0 });
    expect(quantile(delaysOf(evidence), 0.5)).toBe(Number.POSITIVE_INFINITY);
    expect([wrongAt(9, evidence), wrongAt(60, evidence)]).toEqual([0, 1]);
  });

  it('ends when the reader knows a later state of the entity', () => {
    const changes = [changed(10, 'IN_TRANSIT'), changed(12, 'DELIVERED')];

    expect(delaysOf(evidenceWith(changes, [changed(15, 'DELIVERED')])).known).toEqual([3, 5]);
  });

  it('does not exist for a change that is undone before a reading', () => {
    const changes = [changed(10, 'IN_TRANSIT'), changed(12, 'CREATED'), changed(20, 'FAILED')];

    const delays = delaysOf(evidenceWith(changes, [changed(21, 'FAILED')]));

    expect(delays).toEqual({ known: [1], never: 0, unseen: 2 });
  });

  it('does not end when the reader learns an older state', () => {
    const evidence = evidenceWith(
      [changed(10, 'DELIVERED')],
      [changed(5, 'CREATED'), changed(15, 'CREATED')],
    );

    expect(delaysOf(evidence)).toEqual({ known: [], never: 1, unseen: 0 });
    expect(wrongAt(60, evidence)).toBe(1);
  });
});

it('counts the times of the fullest window', () => {
  expect(mostWithin(10, [0, 1, 9, 10, 11, 12, 40])).toBe(4);
});

it('measures a history from its changes, not from their first appearance in answers', () => {
  const states = [state(0, 'CREATED'), state(1_000, 'IN_TRANSIT', 6_000), state(9_000, 'IN_TRANSIT')];
  const history: EntityHistory = { subject: ENTITY, kind: 'shipment', groupId: 1, states };
  const learnt = [{ at: 8_500, entity: ENTITY, state: stateOf('shipment', { status: 'IN_TRANSIT' }) }];

  expect(delaysOf(evidenceOf([history], learnt))).toEqual({ known: [7_500], never: 0, unseen: 0 });
});

it('compares only watched fields, in any notation of times and order of lists', () => {
  const rest = { status: 'DELIVERED', created_at: 'a' };
  const fields = { ...rest, delivered_at: '2026-01-02T03:04:05Z', return_ids: [1, 2] };
  const alike = { status: 'DELIVERED', delivered_at: '2026-01-02T03:04:05.000Z', return_ids: [2, 1] };

  expect(stateOf('shipment', fields)).toBe(stateOf('shipment', alike));
  expect(stateOf('shipment', { ...fields, status: 'FAILED' })).not.toBe(stateOf('shipment', alike));
});

const ENTITY = 'return-groups/1/shipments/17';

function evidenceWith(changes: readonly Change[], sightings: readonly Change[]) {
  return { opening: new Map([[ENTITY, 'CREATED']]), changes, sightings };
}

function changed(at: number, status: string): Change {
  return { at, entity: ENTITY, state: status };
}

function state(changedAt: number, status: string, shownFrom = changedAt) {
  return { changedAt, shownFrom, shownByAll: shownFrom, fields: { status } };
}
