import { expect, test } from 'vitest';
import type { EntityHistory } from '../acceptance/history.ts';
import { type FreshnessEvidence, judgeFreshness } from './judge-freshness.ts';
import { stateOf } from './known-states.ts';

test('measures from the change, not from its first appearance in answers', () => {
  const freshness = judgeWith([known(1_000 + 7_500, 'CREATED')], [state(1_000, 'CREATED', 6_000)]);

  expect(freshness).toMatchObject({ changes: 1, p50: 7_500, p99: 7_500, never: 0, wrong: 0 });
});

test('counts a later state as knowledge of the earlier change', () => {
  const freshness = judgeWith(
    [known(5_000, 'DELIVERED')],
    [state(1_000, 'IN_TRANSIT'), state(4_000, 'DELIVERED')],
  );

  expect(freshness).toMatchObject({ changes: 2, p50: 1_000, most: 4_000, never: 0, wrong: 0 });
});

test('counts a change that the reader never knew as never, and its entity as wrong', () => {
  const freshness = judgeWith(
    [known(1_500, 'IN_TRANSIT')],
    [state(1_000, 'IN_TRANSIT'), state(4_000, 'DELIVERED')],
  );

  expect(freshness).toMatchObject({ changes: 2, p50: 500, p99: Infinity, never: 1, wrong: 1 });
});

test('does not count an older state, known after the change, as knowledge of the change', () => {
  const freshness = judgeWith(
    [known(500, 'CREATED'), known(5_000, 'CREATED')],
    [state(0, 'CREATED'), state(4_000, 'DELIVERED')],
  );

  expect(freshness).toMatchObject({ changes: 1, never: 1, wrong: 1 });
});

test('does not count a change back to the state that the reader has had all the time', () => {
  const states = [state(0, 'CREATED'), state(4_000, 'CANCELED'), state(4_500, 'CREATED')];
  const freshness = judgeWith([known(500, 'CREATED')], states);

  expect(freshness).toMatchObject({ changes: 1, p50: 500, wrong: 0 });
});

test('expects nothing of entities that did not change', () => {
  expect(judgeWith([], [state(0, 'CREATED')])).toMatchObject({ changes: 0, wrong: 0 });
});

test('counts the start as known to a reader that does not report it', () => {
  const states = [state(0, 'CREATED'), state(4_000, 'CANCELED'), state(4_500, 'CREATED')];

  expect(judgeWith([], states, { knowsInitialState: true })).toMatchObject({
    changes: 1,
    never: 0,
    wrong: 0,
  });
  expect(judgeWith([], states, { knowsInitialState: false })).toMatchObject({
    changes: 2,
    never: 2,
    wrong: 1,
  });
});

test('compares only watched fields, in any notation of times and order of lists', () => {
  const fields = {
    status: 'DELIVERED',
    delivered_at: '2026-01-02T03:04:05Z',
    return_ids: [1, 2],
    created_at: 'a',
  };
  const alike = { status: 'DELIVERED', delivered_at: '2026-01-02T03:04:05.000Z', return_ids: [2, 1] };

  expect(stateOf('shipment', fields)).toBe(stateOf('shipment', alike));
  expect(stateOf('shipment', { ...fields, status: 'FAILED' })).not.toBe(stateOf('shipment', alike));
});

const SUBJECT = 'return-groups/1/shipments/17';

function judgeWith(
  learnt: FreshnessEvidence['learnt'],
  states: EntityHistory['states'],
  { knowsInitialState } = { knowsInitialState: false },
) {
  const history: EntityHistory = { subject: SUBJECT, kind: 'shipment', groupId: 1, states };
  return judgeFreshness({ histories: [history], learnt, knowsInitialState });
}

function known(at: number, status: string) {
  return { at, subject: SUBJECT, state: stateOf('shipment', { status }) };
}

function state(changedAt: number, status: string, shownFrom = changedAt) {
  return { changedAt, shownFrom, shownByAll: shownFrom, fields: { status } };
}
