import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readMeasured } from './measured-rows.ts';
import { PERFORMANCE_PAGE, renderPerformancePage } from './performance-page.ts';
import type { ReaderRow } from './run-row.ts';

test('docs/performance.md shows the rows that were measured', () => {
  expect(renderPerformancePage(readMeasured())).toBe(readFileSync(PERFORMANCE_PAGE, 'utf8'));
});

test('the page marks each figure of the feed that falls short of the best reader', () => {
  const readers = [
    aReader('poller', { wrong: 3, p50: 2_000, p99: Infinity }),
    aReader('whole-list', { wrong: 0, p50: 3_000, p99: 5_000 }),
    aReader('feed', { wrong: 1, p50: 2_150, p99: 5_600 }),
  ];
  const service = { requests: 0, p50Ms: 0, p99Ms: 0 };
  const row = {
    setting: 'plain',
    groups: 300,
    changesPerSecond: 3,
    seed: 1,
    readers,
    service,
    processorWait: 0.25,
  };

  const page = renderPerformancePage([{ title: 'Some time', machine: 'Some machine', rows: [row] }]);

  expect(page).toContain('| plain (3) | 300 | 0.04 | 3 / 2.0 / never (60) | 0 / 3.0 / 5.0 (60) |');
  expect(page).toContain('| **1** / 2.1 / **5.6** (60) | 25 % |');
});

function aReader(name: string, figures: Pick<ReaderRow, 'wrong' | 'p50' | 'p99'>): ReaderRow {
  const rest = {
    changes: 100,
    most: Infinity,
    never: 0,
    requestsPerMinute: 60,
    refused: 0,
    usage: undefined,
  };
  return { name, about: name, ...rest, ...figures };
}
