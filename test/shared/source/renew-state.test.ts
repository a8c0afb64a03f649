import { expect, test } from 'vitest';
import { formatGroupKey, parseGroupKey } from '../../../shared/recording/group-key.ts';
import { renewState } from '../../../shared/source/renew-state.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aPosition, aState } from '../a-state.ts';

const NOW = 1_763_700_000_000_000;

const BEFORE: SourceState = aState({
  ...{
    version: 7,
    generation: 'mi8x2k',
    earlierGenerations: ['mh1a0b'],
    baselineAt: 5,
    lastHold: 7,
    lastSlot: 9,
  },
  position: aPosition({
    ...{ origin: 9, cursor: 11, newest: 12, newestAt: [{ at: 12, stamp: 12 }] },
    readAt: { late: 12, recent: 12, older: 12 },
    places: [{ axis: 'updated', from: 1, to: 2, isLeftOut: true, seenAt: 3, reason: '500' }],
  }),
  ...{
    limit: 100,
    room: { since: 4, rows: 50, groups: 50, planned: 60, bytes: 9_000, rowBytes: 0 },
    seenWith: 'x',
  },
  lease: { owner: 'b3f0c2d4', epoch: 12, expiresAt: 99 },
  driftReported: ['shipment.status: LOST'],
  setAside: [{ groupId: 7, reason: 'it has no status', digest: '', since: 0, seenAt: 0 }],
  lookUps: [{ groupId: 7, dueAt: 0 }],
});

test('sequence numbers restart, in a generation that sorts after the last, even by a clock that is behind', () => {
  const generation = (NOW / 1_000 - 86_400_000).toString(36);
  const state = { ...BEFORE, generation };

  const renewed = [renewState(state, 'here', NOW), renewState(state, 'here', 0)];

  for (const { generation: next, feedSequence, version, mintedIn } of renewed) {
    expect(next > generation).toBe(true);
    const key = formatGroupKey({ source: 'acme', generation: next, group: 1 });
    expect(parseGroupKey(key)?.generation).toBe(next);
    expect({ feedSequence, version, mintedIn }).toEqual({ feedSequence: 0, version: 8, mintedIn: 'here' });
  }
});

test('the new baseline emits every group, also after a silent one', () => {
  const renewed = renewState(BEFORE, 'here', NOW);

  expect(renewed).toMatchObject({ mode: 'emit', baselineAt: undefined });
  expect(renewed.lanes.recent).toMatchObject({ round: undefined, groups: 0 });
});

test('polls go on from where they were; all else of the position is found anew', () => {
  const renewed = renewState(BEFORE, 'here', NOW);

  expect(renewed.position).toEqual(aPosition({ cursor: 11 }));
});

test('knowledge of the service stays', () => {
  const { room, limit, stampForm, driftReported, setAside, lastSlot, pace } = BEFORE;

  const renewed = renewState(BEFORE, 'here', NOW);

  expect(renewed).toMatchObject({ room, limit, stampForm, driftReported, setAside, lastSlot });
  expect(renewed.pace).toEqual(pace);
});

test('earlier generations stay known; of their holds only the last number stays', () => {
  const renewed = renewState(BEFORE, 'here', NOW);

  expect(renewed.earlierGenerations).toEqual(['mh1a0b', 'mi8x2k']);
  expect(renewed).toMatchObject({
    holds: [],
    lastHold: 7,
    seenWith: undefined,
    lookUps: [],
    feedReports: [],
  });
});

test('the lease has no owner and a new epoch', () => {
  const { lease } = renewState(BEFORE, 'here', NOW);

  expect(lease).toEqual({ owner: '', epoch: 13, expiresAt: 0 });
});
