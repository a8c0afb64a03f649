// The cost of a page of unchanged groups, as a share of JSON.parse of the same page. The figures are printed; the
// expectations are loose.
import { describe, expect, it } from 'vitest';
import { compareReading } from '../../../shared/comparing/compare-reading.ts';
import { digestOf } from '../../../shared/comparing/digest.ts';
import { learnFields } from '../../../shared/comparing/known-fields.ts';
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';
import { OPTIONS, read, SETTLE, snapshotOf } from './a-reading.ts';

const rows = Array.from({ length: 100 }, (_, index) => sampleRow(index + 1));
const page = JSON.stringify(rows);
const groups = rows.map(groupOf);
const readings = rows.map((row) => read(row, 2 * SETTLE));
const snapshots = rows.map((row) => snapshotOf(read(row)));
const AT = { since: 1, sentAt: 1, isWalk: true };
const known = learnFields({ fieldsSince: {}, fieldsShown: {} }, groups, AT);

const WORK = {
  'JSON.parse': () => JSON.parse(page),
  project: () => groups.map((group) => projectGroup(group)),
  'project and digest': () => groups.map((group) => digestOf(projectGroup(group))),
  'project and JSON.stringify': () => groups.map((group) => JSON.stringify(projectGroup(group))),
  'compare, unchanged': () => readings.map((reading, at) => compareReading(snapshots[at], reading, OPTIONS)),
  'learn fields': () => learnFields(known, groups, AT),
  'all of it, remembered': () => {
    const read = (JSON.parse(page) as unknown[]).map(groupOf);
    return [learnFields(known, read, AT), ...read.map((group) => digestOf(projectGroup(group)))];
  },
};

describe('a page of 100 unchanged groups', () => {
  it('is compared in a fraction of the time of JSON.parse', () => {
    const least = new Map<string, number>(Object.keys(WORK).map((name) => [name, Number.POSITIVE_INFINITY]));

    const shareOf = (name: keyof typeof WORK) => (least.get(name) ?? 0) / (least.get('JSON.parse') ?? 0);
    const isFast = () => shareOf('compare, unchanged') < 0.5 && shareOf('all of it, remembered') < 2;
    // The least time of many: on a busy machine more rounds are needed until none is disturbed.
    for (let round = 0; round < 40 || (round < 1_000 && !isFast()); round += 1) {
      for (const [name, work] of Object.entries(WORK)) {
        least.set(name, Math.min(least.get(name) ?? 0, timeOf(work)));
      }
    }

    const names = Object.keys(WORK) as (keyof typeof WORK)[];
    console.info(names.map((name) => `${name} ${shareOf(name).toFixed(3)}`).join(', '));
    expect(shareOf('compare, unchanged')).toBeLessThan(0.5);
    expect(shareOf('all of it, remembered')).toBeLessThan(2);
  });
});

function groupOf(row: unknown) {
  const parsed = parseReturnGroup(row);
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  return parsed.group;
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
