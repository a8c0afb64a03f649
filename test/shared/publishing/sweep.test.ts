import { describe, expect, test } from 'vitest';
import { GAP_IS_LOST_AFTER_MS, SWEEP_GAPS, SWEEP_GROUPS } from '../../../shared/limits.ts';
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

describe('what is unsent', () => {
  test('is sent, though no record tells of it', async () => {
    const setting = createSetting();
    setting.write(A, 1, 2, 3);
    setting.write(B, 1);
    await setting.marks.advance('queue', A, 2);

    const report = await sweep(setting);

    expect(setting.arrived(A)).toEqual([3]);
    expect(setting.arrived(B)).toEqual([1]);
    expect(report).toMatchObject({ groups: 2, unsent: 2, done: 2, complete: true });
  });

  test('is found among any number of groups', async () => {
    const setting = createSetting();
    const groups = Array.from({ length: 2 * SWEEP_GROUPS + 1 }, (_, id) => aKey(id));
    for (const key of groups) setting.write(key, 1);

    const report = await sweep(setting);

    expect(report).toMatchObject({ groups: groups.length, done: groups.length });
    expect(setting.destination.received).toHaveLength(groups.length);
  });

  test('costs nothing where there is none', async () => {
    const setting = createSetting();
    setting.write(A, 1);
    await setting.marks.advance('queue', A, 1);

    const report = await sweep(setting);

    expect(report).toMatchObject({ groups: 1, unsent: 0, complete: true });
    expect(setting.destination.batches).toEqual([]);
    expect(setting.clock.elapsed()).toBe(0);
  });

  test('is left to the next sweep when the time is over', async () => {
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
  test('that stays is stepped over and told', async () => {
    const setting = createSetting();
    setting.write(A, 5, 6);
    await setting.marks.advance('queue', A, 2);

    const report = await sweep(setting);

    expect(setting.arrived(A)).toEqual([5, 6]);
    expect(report).toMatchObject({ done: 1, waiting: 0, skipped: 1 });
    expect(await setting.skipped()).toMatchObject([
      { return_group_id: 1, from_sequence: 3, to_sequence: 4, reason: 'no longer in the ledger' },
    ]);
  });

  test('that closes was a transaction seen half: nothing is skipped', async () => {
    const setting = createSetting();
    setting.write(A, 1, 3);
    setting.clock.sleep(GAP_IS_LOST_AFTER_MS - 1).then(() => setting.ledger.append(A, anEvent(A, 2)));

    const report = await sweep(setting);

    expect(setting.arrived(A)).toEqual([1, 2, 3]);
    expect(report).toMatchObject({ done: 1, skipped: 0 });
  });

  test('that closes in part is given as long again', async () => {
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

  test('is one of several: each is stepped over', async () => {
    const setting = createSetting();
    setting.write(A, 1, 3, 6);

    const report = await sweep(setting);

    expect(setting.arrived(A)).toEqual([1, 3, 6]);
    expect(report).toMatchObject({ done: 1, skipped: 2 });
    expect(await setting.skipped()).toMatchObject([
      { from_sequence: 2, to_sequence: 2 },
      { from_sequence: 4, to_sequence: 5 },
    ]);
  });

  test('at the beginning of a group of which nothing was ever sent is nothing to tell', async () => {
    const setting = createSetting();
    setting.write(A, 8, 9);

    await sweep(setting);

    expect(setting.arrived(A)).toEqual([8, 9]);
    expect(await setting.skipped()).toEqual([]);
  });

  test('among the feed’s own events is stepped over, and told to operators alone', async () => {
    const setting = createSetting();
    setting.write(FEED, 1, 3);

    await sweep(setting);

    expect(setting.arrived(FEED)).toEqual([1, 3]);
    expect(await setting.skipped()).toEqual([]);
  });

  test('is left to the next sweep where the time is too short to be sure', async () => {
    const setting = createSetting();
    setting.write(A, 1, 3);

    const report = await sweep(setting, GAP_IS_LOST_AFTER_MS - 1);

    expect(setting.arrived(A)).toEqual([1]);
    expect(report).toMatchObject({ waiting: 1, skipped: 0 });
  });
});

describe('a group that is behind', () => {
  test('is tried again, counted, and holds up no other', async () => {
    const setting = createSetting();
    setting.write(A, 1);
    setting.write(B, 1);
    setting.destination.answer = ({ partitionkey }) =>
      partitionkey === 'acme/1' ? { sent: false, cause: 'refused', reason: 'too large' } : { sent: true };

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

  test('tells what a sweep did', async () => {
    const setting = createSetting();
    setting.write(A, 1);

    await sweep(setting);

    expect(linesOf(setting)).toEqual([
      { level: 'info', message: 'ledger swept', fields: { destination: 'queue', ...swept, done: 1 } },
    ]);
  });

  test('warns where a group is behind', async () => {
    const setting = createSetting();
    setting.write(A, 1);
    setting.destination.answer = () => ({ sent: false, cause: 'refused', reason: 'too large' });

    await sweep(setting);

    expect(linesOf(setting)).toMatchObject([{ level: 'warn', fields: { ...swept, behind: 1 } }]);
  });

  test('warns where a group has failed, or was not answered for', async () => {
    const setting = createSetting();
    setting.write(A, 1);
    const silent = createSetting();
    silent.write(A, 1);

    await sweep({ ...setting, relay: async () => [{ state: 'failed', reason: 'says the test' }] });
    await sweep({ ...silent, relay: async () => [] });

    expect(linesOf(setting)).toMatchObject([{ level: 'warn', fields: { ...swept, failed: 1 } }]);
    expect(linesOf(silent)).toMatchObject([{ level: 'warn', fields: { ...swept, failed: 1 } }]);
  });

  test('warns where one group is behind and another has failed', async () => {
    const setting = createSetting();
    setting.write(A, 1);
    setting.write(B, 1);

    await sweep({
      ...setting,
      relay: async () => [
        { state: 'failed', reason: 'says the test' },
        { state: 'behind', sequence: 1, reason: 'too large' },
      ],
    });

    expect(linesOf(setting)).toMatchObject([{ level: 'warn', fields: { behind: 1, failed: 1 } }]);
  });

  test('warns where the time was over', async () => {
    const setting = createSetting();
    setting.write(A, 1);

    const report = await sweep(setting, 0);

    expect(report.complete).toBe(false);
    expect(linesOf(setting)).toMatchObject([{ level: 'warn', fields: { complete: false } }]);
  });

  test('tells of a group that begins where the ledger does', async () => {
    const setting = createSetting();
    setting.write(A, 8);

    await sweep(setting);

    expect(setting.log.lines).toContainEqual({
      level: 'info',
      message: 'group starts at the first event in the ledger',
      fields: { destination: 'queue', ...A, from: 1, to: 7 },
    });
  });
});

describe('gaps without end', () => {
  test('of one group: five are stepped over, the others are left to the next sweep', async () => {
    const setting = createSetting();
    setting.write(A, 1, 3, 5, 7, 9, 11, 13, 15);

    const report = await sweep(setting);

    expect(report).toMatchObject({ skipped: 5, waiting: 1, done: 0 });
    expect(setting.arrived(A)).toEqual([1, 3, 5, 7, 9, 11]);
    expect(setting.clock.elapsed() / 1000).toBe(5 * GAP_IS_LOST_AFTER_MS);
  });

  test('that grow while they are looked at are given as long again', async () => {
    const setting = createSetting();
    setting.write(A, 1, 5);
    setting.clock.sleep(GAP_IS_LOST_AFTER_MS - 1).then(() => setting.ledger.append(A, anEvent(A, 4)));

    await sweep(setting);

    expect(await setting.skipped()).toMatchObject([{ from_sequence: 2, to_sequence: 3 }]);
    expect(setting.clock.elapsed() / 1000).toBe(2 * GAP_IS_LOST_AFTER_MS);
  });

  test('of more groups than are looked at again: the others wait', async () => {
    const setting = createSetting();
    const groups = SWEEP_GAPS + 2;
    for (let id = 0; id < groups; id += 1) setting.write(aKey(id), 1);
    const asked: number[] = [];
    const relay: Setting['relay'] = async (keys) => {
      asked.push(keys.length);
      return keys.map(() => ({ state: 'waiting', missing: { from: asked.length, to: asked.length } }));
    };

    const report = await sweep({ ...setting, relay });

    expect(Math.max(...asked)).toBe(SWEEP_GAPS);
    expect(report.waiting).toBe(groups);
  });

  test('are left where just the time is left that it takes to be sure', async () => {
    const setting = createSetting();
    setting.write(A, 1, 3);

    const report = await sweep(setting, GAP_IS_LOST_AFTER_MS);

    expect(report).toMatchObject({ waiting: 1, skipped: 0 });
    expect(setting.clock.elapsed()).toBe(0);
  });
});
