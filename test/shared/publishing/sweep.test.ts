import { describe, expect, test } from 'vitest';
import { GAP_IS_LOST_AFTER_MS, SWEEP_GAPS, SWEEP_GROUPS } from '../../../shared/limits.ts';
import type { Outcome } from '../../../shared/publishing/lane.ts';
import { sweepLedger } from '../../../shared/publishing/sweep.ts';
import { aKey, anEvent } from './an-event.ts';
import { createSetting, FEED } from './setting.ts';

const A = aKey(1);
const B = aKey(2);
const QUARTER_MS = 15 * 60_000;

type Setting = ReturnType<typeof createSetting>;

function sweep({ ports, relay, clock }: Setting, timeLeftMs = QUARTER_MS) {
  return clock.run(sweepLedger(ports, relay, timeLeftMs));
}

describe('unsent events', () => {
  test('are sent without a stream record', async () => {
    const setting = createSetting();
    setting.write(A, 1, 2, 3);
    setting.write(B, 1);
    await setting.marks.advance('queue', A, 2);

    const report = await sweep(setting);

    expect(setting.arrived(A)).toEqual([3]);
    expect(setting.arrived(B)).toEqual([1]);
    expect(report).toMatchObject({ groups: 2, unsent: 2, done: 2, complete: true });
  });

  test('are found among any number of groups', async () => {
    const setting = createSetting();
    const groups = Array.from({ length: 2 * SWEEP_GROUPS + 1 }, (_, id) => aKey(id));
    for (const key of groups) setting.write(key, 1);

    const report = await sweep(setting);

    expect(report).toMatchObject({ groups: groups.length, done: groups.length });
    expect(setting.destination.received).toHaveLength(groups.length);
  });

  test('cost no send and no time if there are none', async () => {
    const setting = createSetting();
    setting.write(A, 1);
    await setting.marks.advance('queue', A, 1);

    const report = await sweep(setting);

    expect(report).toMatchObject({ groups: 1, unsent: 0, complete: true });
    expect(setting.destination.batches).toEqual([]);
    expect(setting.clock.elapsed()).toBe(0);
  });

  test('are left to the next sweep when the time is over', async () => {
    const setting = createSetting();
    for (let id = 0; id < 3 * SWEEP_GROUPS; id += 1) setting.write(aKey(id), 1);
    const relay: Setting['relay'] = async (groups, timeLeftMs) => {
      await setting.clock.sleep(60_000);
      return setting.relay(groups, timeLeftMs);
    };

    const report = await sweep({ ...setting, relay }, 90_000);

    expect(report).toMatchObject({ groups: 2 * SWEEP_GROUPS, complete: false });
  });
});

interface Gap {
  readonly key?: typeof A;
  readonly mark?: number;
  /** What the ledger shows. */
  readonly shown: readonly number[];
  /** What it shows later, with the milliseconds until then. */
  readonly appears?: readonly (readonly [sequence: number, afterMs: number])[];
  /** @default all that is shown */
  readonly arrives?: readonly number[];
  readonly skips: readonly object[];
  /** The sweep's report. @default the group is done */
  readonly report?: object;
  /** How often the sweep waits for the full time. @default once for each gap that it skips */
  readonly waits?: number;
}

describe('a gap', () => {
  test.each<[string, Gap]>([
    [
      'that stays is skipped and reported',
      {
        ...{ mark: 2, shown: [5, 6] },
        skips: [{ return_group_id: 1, from_sequence: 3, to_sequence: 4, reason: 'no longer in the ledger' }],
      },
    ],
    [
      'is skipped even if it is one of several',
      {
        ...{ mark: 1, shown: [3, 6] },
        skips: [
          { from_sequence: 2, to_sequence: 2 },
          { from_sequence: 4, to_sequence: 5 },
        ],
      },
    ],
    [
      'at the beginning of a group that was never sent is not reported, as in a return that began in a long outage',
      { shown: [8, 9], skips: [], waits: 1 },
    ],
    [
      'among the feed’s own events is skipped, and reported to operators only',
      { key: FEED, mark: 1, shown: [3], skips: [], waits: 1 },
    ],
    [
      'that closes, as of a half visible transaction, is not skipped',
      {
        ...{ shown: [1, 3], appears: [[2, GAP_IS_LOST_AFTER_MS - 1]], arrives: [1, 2, 3] },
        ...{ skips: [], waits: 1 },
      },
    ],
    [
      'that closes in part gets the full time again',
      {
        ...{ shown: [1, 4], arrives: [1, 2, 3, 4], skips: [], waits: 2 },
        appears: [
          [2, GAP_IS_LOST_AFTER_MS - 1],
          [3, GAP_IS_LOST_AFTER_MS + 1],
        ],
      },
    ],
    [
      'that becomes another one gets the full time again',
      {
        ...{ shown: [1, 5], appears: [[4, GAP_IS_LOST_AFTER_MS - 1]], arrives: [1, 4, 5] },
        ...{ skips: [{ from_sequence: 2, to_sequence: 3 }], waits: 2 },
      },
    ],
    [
      'beyond the fifth of a group is left to the next sweep',
      {
        ...{ shown: [1, 3, 5, 7, 9, 11, 13, 15], arrives: [1, 3, 5, 7, 9, 11] },
        skips: [2, 4, 6, 8, 10].map((at) => ({ from_sequence: at, to_sequence: at })),
        report: { skipped: 5, waiting: 1, done: 0 },
      },
    ],
  ])('%s', async (_, { key = A, mark, shown, appears = [], skips, ...expected }) => {
    const { arrives = shown, report = { done: 1, waiting: 0 }, waits = skips.length } = expected;
    const setting = createSetting();
    setting.write(key, ...shown);
    if (mark !== undefined) await setting.marks.advance('queue', key, mark);
    for (const [sequence, afterMs] of appears)
      setting.clock.sleep(afterMs).then(() => setting.ledger.append(key, anEvent(key, sequence)));

    const swept = await sweep(setting);

    expect(setting.arrived(key)).toEqual(arrives);
    expect(swept).toMatchObject(report);
    expect(await setting.skipped()).toMatchObject(skips);
    expect(await setting.skipped()).toHaveLength(skips.length);
    expect(setting.clock.elapsed() / 1000).toBe(waits * GAP_IS_LOST_AFTER_MS);
  });

  test.each([GAP_IS_LOST_AFTER_MS - 1, GAP_IS_LOST_AFTER_MS])(
    'is left to the next sweep if only %i ms are left for the wait',
    async (timeLeftMs) => {
      const setting = createSetting();
      setting.write(A, 1, 3);

      const report = await sweep(setting, timeLeftMs);

      expect(setting.arrived(A)).toEqual([1]);
      expect(report).toMatchObject({ waiting: 1, skipped: 0 });
      expect(setting.clock.elapsed()).toBe(0);
    },
  );
});

describe('a group that is behind', () => {
  test('is retried and counted, and does not delay other groups', async () => {
    const setting = createSetting();
    setting.write(A, 1);
    setting.write(B, 1);
    setting.destination.answer = ({ partitionkey }) =>
      partitionkey === 'acme/1' ? { sent: false, cause: 'rejected', reason: 'too large' } : { sent: true };

    const report = await sweep(setting);

    expect(report).toMatchObject({ done: 1, behind: 1 });
    expect(setting.arrived(B)).toEqual([1]);
  });
});

describe('the log', () => {
  const swept = {
    groups: 1,
    unsent: 1,
    done: 0,
    waiting: 0,
    behind: 0,
    failed: 0,
    skipped: 0,
    complete: true,
  };
  const linesOf = ({ log }: Setting) => log.lines.filter(({ message }) => message === 'ledger swept');

  test('has the counts of a sweep', async () => {
    const setting = createSetting();
    setting.write(A, 1);

    await sweep(setting);

    expect(linesOf(setting)).toEqual([
      { level: 'info', message: 'ledger swept', fields: { destination: 'queue', ...swept, done: 1 } },
    ]);
  });

  const failed: Outcome = { state: 'failed', reason: 'injected by the test' };
  const behind: Outcome = { state: 'behind', sequence: 1, reason: 'too large' };
  const waiting: Outcome = { state: 'waiting', missing: { from: 1, to: 1 } };

  test.each<[string, readonly Outcome[], Partial<typeof swept>]>([
    ['is behind', [behind], { behind: 1 }],
    ['failed', [failed], { failed: 1 }],
    ['has no outcome', [], { failed: 1 }],
    ['waits at a gap', [waiting], { waiting: 1 }],
    ['is behind and another failed', [failed, behind], { unsent: 2, groups: 2, behind: 1, failed: 1 }],
  ])('has a warning if a group %s', async (_, outcomes, counts) => {
    const setting = createSetting();
    setting.write(A, 1);
    if (outcomes.length > 1) setting.write(B, 1);

    // There is no time to look at a gap again.
    await sweep({ ...setting, relay: async () => [...outcomes] }, 30_000);

    expect(linesOf(setting)).toMatchObject([{ level: 'warn', fields: { ...swept, ...counts } }]);
  });

  test('has a warning if the sweep ran out of time', async () => {
    const setting = createSetting();
    setting.write(A, 1);

    const report = await sweep(setting, 0);

    expect(report.complete).toBe(false);
    expect(linesOf(setting)).toMatchObject([{ level: 'warn', fields: { complete: false } }]);
  });

  test('has a line for a group that starts behind a gap in the ledger', async () => {
    const setting = createSetting();
    setting.write(A, 8);

    await sweep(setting);

    expect(setting.log.lines).toContainEqual({
      level: 'info',
      message: 'group starts behind a gap in the ledger',
      fields: { destination: 'queue', ...A, from: 1, to: 7 },
    });
  });
});

test('gaps of more groups than a sweep waits for: the other groups are left to the next sweep', async () => {
  const setting = createSetting();
  const groups = SWEEP_GAPS + 2;
  for (let id = 0; id < groups; id += 1) setting.write(aKey(id), 1);
  const relayed: number[] = [];
  const relay: Setting['relay'] = async (keys) => {
    relayed.push(keys.length);
    return keys.map(() => ({ state: 'waiting', missing: { from: relayed.length, to: relayed.length } }));
  };

  const report = await sweep({ ...setting, relay });

  expect(Math.max(...relayed)).toBe(SWEEP_GAPS);
  expect(report.waiting).toBe(groups);
});
