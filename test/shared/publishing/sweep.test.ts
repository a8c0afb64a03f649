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

describe('a gap', () => {
  test.each([
    {
      name: 'that stays is skipped and reported',
      key: A,
      mark: 2,
      shown: [5, 6],
      skips: [{ return_group_id: 1, from_sequence: 3, to_sequence: 4, reason: 'no longer in the ledger' }],
    },
    {
      name: 'is skipped even if it is one of several',
      key: A,
      mark: 1,
      shown: [3, 6],
      skips: [
        { from_sequence: 2, to_sequence: 2 },
        { from_sequence: 4, to_sequence: 5 },
      ],
    },
    {
      name: 'at the beginning of a group that was never sent is not reported',
      key: A,
      mark: 0,
      shown: [8, 9],
      skips: [],
    },
    {
      name: 'among the feed’s own events is skipped, and reported to operators only',
      key: FEED,
      mark: 1,
      shown: [3],
      skips: [],
    },
  ])('$name', async ({ key, mark, shown, skips }) => {
    const setting = createSetting();
    setting.write(key, ...shown);
    if (mark > 0) await setting.marks.advance('queue', key, mark);

    const report = await sweep(setting);

    expect(setting.arrived(key)).toEqual(shown);
    expect(report).toMatchObject({ done: 1, waiting: 0 });
    expect(await setting.skipped()).toMatchObject(skips);
    expect(await setting.skipped()).toHaveLength(skips.length);
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

  test('that closes, as of a half visible transaction, is not skipped', async () => {
    const setting = createSetting();
    setting.write(A, 1, 3);
    setting.clock.sleep(GAP_IS_LOST_AFTER_MS - 1).then(() => setting.ledger.append(A, anEvent(A, 2)));

    const report = await sweep(setting);

    expect(setting.arrived(A)).toEqual([1, 2, 3]);
    expect(report).toMatchObject({ done: 1, skipped: 0 });
  });

  test('that closes in part gets the full time again', async () => {
    const setting = createSetting();
    setting.write(A, 1, 4);
    const appears = (sequence: number, afterMs: number) =>
      setting.clock.sleep(afterMs).then(() => setting.ledger.append(A, anEvent(A, sequence)));
    appears(2, GAP_IS_LOST_AFTER_MS - 1);
    appears(3, GAP_IS_LOST_AFTER_MS + 1);

    await sweep(setting);

    expect(setting.arrived(A)).toEqual([1, 2, 3, 4]);
    expect(await setting.skipped()).toEqual([]);
  });

  test('of a return that began in a long outage is not reported, as for a destination that was added later', async () => {
    const setting = createSetting();
    // The destination accepted events of A before the outage; B began in it. More than 30 days later both have expired.
    setting.write(A, 1, 5);
    await setting.marks.advance('queue', A, 1);
    setting.write(B, 5);

    await sweep(setting);

    expect([setting.arrived(A), setting.arrived(B)]).toEqual([[5], [5]]);
    expect(await setting.skipped()).toMatchObject([{ return_group_id: 1, from_sequence: 2, to_sequence: 4 }]);
  });
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

describe('many gaps', () => {
  test('of one group: five are skipped, the others are left to the next sweep', async () => {
    const setting = createSetting();
    setting.write(A, 1, 3, 5, 7, 9, 11, 13, 15);

    const report = await sweep(setting);

    expect(report).toMatchObject({ skipped: 5, waiting: 1, done: 0 });
    expect(setting.arrived(A)).toEqual([1, 3, 5, 7, 9, 11]);
    expect(setting.clock.elapsed() / 1000).toBe(5 * GAP_IS_LOST_AFTER_MS);
  });

  test('that change during the wait get the full time again', async () => {
    const setting = createSetting();
    setting.write(A, 1, 5);
    setting.clock.sleep(GAP_IS_LOST_AFTER_MS - 1).then(() => setting.ledger.append(A, anEvent(A, 4)));

    await sweep(setting);

    expect(await setting.skipped()).toMatchObject([{ from_sequence: 2, to_sequence: 3 }]);
    expect(setting.clock.elapsed() / 1000).toBe(2 * GAP_IS_LOST_AFTER_MS);
  });

  test('of more groups than a sweep waits for: the other groups are left to the next sweep', async () => {
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
});
