import { expect, test } from 'vitest';
import { createBaselineProgress } from '../../../local/feed/format-progress.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aState } from '../../contract/sample-states.ts';

const NOW = Date.UTC(2026, 10, 20, 10, 15);

/** A baseline under way. */
function baseline(groups: number, requests = 0): SourceState {
  const { lanes } = aState('acme');
  const round = { ...beginRound(NOW * 1_000, []), groups, requests };
  return aState('acme', 1, {
    baselineAt: undefined,
    lanes: { ...lanes, recent: { ...lanes.recent, round } },
  });
}

const report = (changes: object) => ({ rateLimited: 0, error: undefined, state: undefined, ...changes });

test('shows groups, pace and requests', () => {
  const progress = createBaselineProgress();
  progress.line(baseline(10_000), NOW);

  const line = progress.line(baseline(40_000, 201), NOW + 60_000);

  expect(line).toBe('baseline: 40,000 groups, 500 groups/s, 201 requests');
});

test('shows no pace at the start, nor where a walk begins anew', () => {
  const progress = createBaselineProgress();

  expect(progress.line(baseline(0, 1), NOW)).toBe('baseline: 0 groups, 1 request');
  progress.line(baseline(500), NOW + 1_000);
  progress.line(baseline(100), NOW + 2_000);
  expect(createBaselineProgress().line(baseline(100, 1), NOW)).toBe('baseline: 100 groups, 1 request');
});

test('measures the pace of the latest period, after any restart or rest', () => {
  const progress = createBaselineProgress();
  for (let step = 0; step < 20; step += 1) progress.line(baseline(step * 10), NOW + step * 100_000);
  for (let step = 1; step <= 10; step += 1)
    progress.line(baseline(200 + step * 1_000), NOW + 2_000_000 + step * 1_000);

  const line = progress.line(baseline(11_200), NOW + 2_011_000);

  expect(line).toBe('baseline: 11,200 groups, 1,000 groups/s, 0 requests');
});

test('shows how many groups a completed baseline has', () => {
  const line = createBaselineProgress().line(aState('acme', 1, { baselineAt: NOW * 1_000 }), NOW);

  expect(line).toBe('baseline complete: 190 groups');
});

test('a slow baseline names its causes', () => {
  const progress = createBaselineProgress();
  const error = new Error('No connection.');
  progress.note(report({ rateLimited: 1, error, state: { ...baseline(0), limit: 20 } }), NOW);
  progress.line(baseline(20), NOW);

  const line = progress.line(baseline(60), NOW + 20_000);

  expect(line).toBe(
    'baseline: 60 groups, 2 groups/s, the service refuses requests as too many (429), No connection, pages of 20 rows, 0 requests',
  );
});

test('the pace falls while nothing is read, and causes that are over are no longer shown', () => {
  const progress = createBaselineProgress();
  progress.note(report({ rateLimited: 1 }), NOW);
  progress.line(baseline(0), NOW);
  progress.line(baseline(100), NOW + 1_000);

  const [soon, late] = [20_000, 100_000].map((after) => progress.line(baseline(100), NOW + after));

  expect(soon).toMatch(/^baseline: 100 groups, 5 groups\/s, the service refuses requests/);
  expect(late).toBe('baseline: 100 groups, 1 groups/s, 0 requests');
});

test('a baseline that reads nothing names the cause as well', () => {
  const progress = createBaselineProgress();
  progress.note(report({ rateLimited: 1 }), NOW);
  progress.line(baseline(0), NOW);

  const line = progress.line(baseline(0), NOW + 10_000);

  expect(line).toBe('baseline: 0 groups, the service refuses requests as too many (429), 0 requests');
});
