import { expect, test } from 'vitest';
import { formatGroupKey, parseGroupKey } from '../../../shared/recording/group-key.ts';
import { renewState } from '../../../shared/source/renew-state.ts';
import { aState } from '../../contract/sample-states.ts';

const NOW = 1_763_700_000_000_000;

test('numbers begin anew, under a generation that sorts after the one before, even by a clock that is behind', () => {
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

test('everything is announced, whatever was told to be silent', () => {
  const renewed = renewState(aState('acme'), 'here', NOW);

  expect(renewed.baseline).toMatchObject({
    mode: 'emit',
    status: 'running',
    coveredThrough: undefined,
    groups: 0,
  });
});

test('what is known of the service, and what polls had left to read, stays', () => {
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

test('the generations before are remembered, holds of theirs are not, but for their numbers', () => {
  const renewed = renewState(aState('acme'), 'here', NOW);

  expect(renewed.earlierGenerations).toEqual(['mh1a0b', 'mi8x2k']);
  expect(renewed.guarding).toMatchObject({ holds: [], lastNumber: 7, seenWith: undefined });
  expect(renewed.feedReports).toEqual([]);
});

test('who took the lease before takes it as another', () => {
  const { lease } = renewState(aState('acme'), 'here', NOW);

  expect(lease).toEqual({ owner: '', epoch: 13, expiresAt: 0 });
});
