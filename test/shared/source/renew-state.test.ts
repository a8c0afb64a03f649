import { expect, test } from 'vitest';
import { UNKNOWN_DEPTHS } from '../../../shared/reading/list-depth.ts';
import { formatGroupKey, parseGroupKey } from '../../../shared/recording/group-key.ts';
import { renewState } from '../../../shared/source/renew-state.ts';
import { aState } from '../../contract/sample-states.ts';

const NOW = 1_763_700_000_000_000;

test('sequence numbers restart, in a generation that sorts after the last, even by a clock that is behind', () => {
  const generation = (NOW / 1_000 - 86_400_000).toString(36);
  const state = aState('acme', 7, { generation });

  const renewed = [renewState(state, 'here', NOW), renewState(state, 'here', 0)];

  for (const { generation: next, feedSequence, version, mintedIn } of renewed) {
    expect(next > generation).toBe(true);
    expect(parseGroupKey(formatGroupKey({ source: 'acme', generation: next, group: 1 }))?.generation).toBe(
      next,
    );
    expect({ feedSequence, version, mintedIn }).toEqual({ feedSequence: 0, version: 8, mintedIn: 'here' });
  }
});

test('the new baseline emits every group, also after a silent one', () => {
  const renewed = renewState(aState('acme'), 'here', NOW);

  expect(renewed.baseline).toMatchObject({
    mode: 'emit',
    status: 'running',
    coveredThrough: undefined,
    groups: 0,
  });
});

test('knowledge of the service and the progress of polls stay', () => {
  const state = aState('acme');

  const renewed = renewState(state, 'here', NOW);

  const { stamps, pageLimit, fieldsSince, wholeWalks, settledThrough, setAside, lastSlot, pace } = state;
  expect(renewed).toMatchObject({
    stamps,
    pageLimit,
    fieldsSince,
    wholeWalks,
    settledThrough,
    setAside,
    lastSlot,
    pace,
  });
});

test('no end of a list is trusted: the store may have grown beyond the rows that the service shows of a list', () => {
  const state = aState('acme');

  expect(state.listDepths).not.toEqual(UNKNOWN_DEPTHS);
  expect(renewState(state, 'here', NOW).listDepths).toEqual(UNKNOWN_DEPTHS);
});

test('earlier generations stay known; of their holds only the last number stays', () => {
  const renewed = renewState(aState('acme'), 'here', NOW);

  expect(renewed.earlierGenerations).toEqual(['mh1a0b', 'mi8x2k']);
  expect(renewed.guarding).toMatchObject({ holds: [], lastNumber: 7, seenWith: undefined });
  expect(renewed.feedReports).toEqual([]);
});

test('the lease has no owner and a new epoch', () => {
  const { lease } = renewState(aState('acme'), 'here', NOW);

  expect(lease).toEqual({ owner: '', epoch: 13, expiresAt: 0 });
});
