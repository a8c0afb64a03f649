import { expect, test } from 'vitest';
import { createBaselineProgress } from '../../../local/feed/format-progress.ts';
import type { BaselineState } from '../../../shared/source/source-state.ts';

const NOW = Date.UTC(2026, 10, 20, 10, 15);

function baseline(changes: Partial<BaselineState>): BaselineState {
  return {
    mode: 'silent',
    status: 'running',
    startedAt: NOW * 1_000,
    coveredThrough: undefined,
    rangeWidth: 1,
    groups: 0,
    requests: 0,
    estimatedGroups: undefined,
    ...changes,
  };
}

test('shows groups, requests, pace and time left', () => {
  const progress = createBaselineProgress();
  progress.line(baseline({ groups: 10_000, estimatedGroups: 100_000 }), NOW);

  const line = progress.line(
    baseline({ groups: 40_000, requests: 201, estimatedGroups: 100_000 }),
    NOW + 60_000,
  );

  expect(line).toBe('baseline: 40,000 of ~100,000 groups, ~2 min left, 500 groups/s, 201 requests');
});

test('shows no time left if there are more groups than expected', () => {
  const progress = createBaselineProgress();
  progress.line(baseline({ groups: 0, estimatedGroups: 1_500 }), NOW);

  const line = progress.line(baseline({ groups: 2_000, estimatedGroups: 1_500 }), NOW + 1_000);

  expect(line).toBe('baseline: 2,000 groups, 2,000 groups/s, 0 requests');
});

test('shows no pace at the start', () => {
  const line = createBaselineProgress().line(baseline({ requests: 1 }), NOW);

  expect(line).toBe('baseline: 0 groups, 1 request');
});

test.each([
  ['unknown', undefined],
  ['only known to be small', 1_000],
])('shows no time left if the number of groups is %s', (_, estimatedGroups) => {
  const progress = createBaselineProgress();
  progress.line(baseline({ groups: 0, estimatedGroups }), NOW);

  const line = progress.line(baseline({ groups: 800, requests: 10, estimatedGroups }), NOW + 1_000);

  expect(line).toBe('baseline: 800 groups, 800 groups/s, 10 requests');
});

test('measures the pace of the latest period, after any restart or rest', () => {
  const progress = createBaselineProgress();
  for (let step = 0; step < 20; step += 1) {
    progress.line(baseline({ groups: step * 10 }), NOW + step * 100_000);
  }
  for (let step = 1; step <= 10; step += 1) {
    progress.line(baseline({ groups: 200 + step * 1_000 }), NOW + 2_000_000 + step * 1_000);
  }

  const line = progress.line(baseline({ groups: 11_200 }), NOW + 2_011_000);

  expect(line).toBe('baseline: 11,200 groups, 1,000 groups/s, 0 requests');
});

test('shows the cost of a completed baseline', () => {
  const line = createBaselineProgress().line(
    baseline({ status: 'completed', groups: 1, requests: 37, estimatedGroups: 1_000 }),
    NOW,
  );

  expect(line).toBe('baseline complete: 1 group, 37 requests');
});

test('shows no pace for groups that are read again', () => {
  const progress = createBaselineProgress();
  progress.line(baseline({ groups: 5_000 }), NOW);

  const line = progress.line(baseline({ groups: 200 }), NOW + 1_000);

  expect(line).toBe('baseline: 200 groups, 0 requests');
});
