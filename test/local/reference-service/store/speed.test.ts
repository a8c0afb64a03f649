import { expect, it } from 'vitest';
import { DAY } from '../../../../shared/instant.ts';
import { aStore, STARTED_AT } from './a-store.ts';

const GROUPS = 200_000;

/** The median CPU time of several runs, in milliseconds; the machine may be busy. */
function medianMs(runs: number, run: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return times.sort((one, other) => one - other)[Math.floor(runs / 2)] ?? Number.NaN;
}

it('opens with many groups in seconds and reads a page in milliseconds', () => {
  const opened = { under: aStore() };
  const openMs = medianMs(1, () => {
    opened.under = aStore({ groups: GROUPS, life: { changesPerSecond: 100 }, keepsHistory: false });
  });
  const { store, knobs, clock } = opened.under;
  const year = { from: STARTED_AT - 365 * DAY, until: STARTED_AT };
  const queries = {
    'first page': { offset: 0, limit: 50 },
    'deepest page': { offset: GROUPS - 50, limit: 50 },
    'range of its own order': { created: year, offset: 50_000, limit: 50 },
    'range of another order': { updated: year, offset: 50_000, limit: 50 },
    'one by id': { groupId: 123_456, offset: 0, limit: 50 },
  };
  const pages = Object.entries(queries).map(
    ([name, query]) => [name, medianMs(9, () => store.select(query))] as const,
  );
  knobs.order = 'updated_at:desc';
  clock.advance(50_000);
  const changesMs = medianMs(1, () => store.catchUp());

  const figures = pages.map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`).join(', ');
  console.log(
    `reference store of ${GROUPS} groups: opened in ${openMs.toFixed(0)} ms; ${figures}; a change ${(changesMs / 5).toFixed(0)} µs`,
  );
  expect(openMs).toBeLessThan(15_000);
  for (const [name, ms] of pages) expect(ms, name).toBeLessThan(250);
});
