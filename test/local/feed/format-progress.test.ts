import { expect, test } from 'vitest';
import { createBaselineProgress } from '../../../local/feed/format-progress.ts';
import type { BaselineState, SourceState } from '../../../shared/source/source-state.ts';
import type { TickReport } from '../../../shared/lanes/tick-report.ts';

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

test('does not count backwards if a range is read again', () => {
  const progress = createBaselineProgress();
  progress.line(baseline({ groups: 5_000 }), NOW);

  const line = progress.line(baseline({ groups: 200 }), NOW + 1_000);

  expect(line).toBe('baseline: 5,000 groups, reading a range again, 0 requests');
});

test('a slow baseline names its causes and the maximum of the time left', () => {
  const progress = createBaselineProgress();
  const error = new Error('No connection.');
  progress.note(report({ unstable: 'no row at its start had been read before' }), NOW);
  progress.note(report({ rateLimited: 1, error, state: { pageLimit: 20 } as SourceState }), NOW);
  progress.line(baseline({ groups: 20, estimatedGroups: 300 }), NOW);

  const line = progress.line(baseline({ groups: 60, estimatedGroups: 300 }), NOW + 20_000);

  expect(line).toBe(
    'baseline: 60 groups, at most ~2 min left, 2 groups/s, the list does not keep its order ' +
      '(no row at its start had been read before), the service refuses requests as too many (429), No connection, pages of 20 rows, 0 requests',
  );
});

test('the pace falls while nothing is read, and causes that are over are no longer shown', () => {
  const progress = createBaselineProgress();
  progress.note(report({ rateLimited: 1 }), NOW);
  progress.line(baseline({ groups: 0 }), NOW);
  progress.line(baseline({ groups: 100 }), NOW + 1_000);

  const [soon, late] = [20_000, 100_000].map((after) =>
    progress.line(baseline({ groups: 100 }), NOW + after),
  );

  expect(soon).toMatch(/^baseline: 100 groups, time left unknown, 5 groups\/s, the service refuses requests/);
  expect(late).toBe('baseline: 100 groups, time left unknown, 1 groups/s, 0 requests');
});

test('a baseline that reads nothing names the cause as well', () => {
  const progress = createBaselineProgress();
  progress.note(report({ rateLimited: 1 }), NOW);
  progress.line(baseline({}), NOW);

  const line = progress.line(baseline({}), NOW + 10_000);

  expect(line).toBe(
    'baseline: 0 groups, time left unknown, the service refuses requests as too many (429), 0 requests',
  );
});

function report(changes: Partial<TickReport>): TickReport {
  return {
    unstable: undefined,
    rateLimited: 0,
    error: undefined,
    state: undefined,
    ...changes,
  } as TickReport;
}
