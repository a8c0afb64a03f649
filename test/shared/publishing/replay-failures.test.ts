// Replays of events that the ledger has lost or can't decode, or that the destination does not take.
import { expect, test } from 'vitest';
import { SWEEP_GROUPS } from '../../../shared/limits.ts';
import { replay } from '../../../shared/publishing/replay.ts';
import { aKey } from './an-event.ts';
import { EVERYTHING, OPTIONS, planOf, writeSent } from './replay-setting.ts';
import { createSetting } from './setting.ts';

const [A, B] = [aKey(1), aKey(2)];

type Setting = ReturnType<typeof createSetting>;

const rejecting = (sequence: number) => (setting: Setting) => {
  setting.destination.answer = ({ partitionkey, data }) =>
    partitionkey === 'acme/1' && data.sequence === sequence
      ? { sent: false, cause: 'rejected', reason: 'too large' }
      : { sent: true };
};

test.each([
  { what: 'a rejected event', numbers: [1, 2, 3], at: 2, reason: 'too large', spoil: rejecting(2) },
  { what: 'a rejected first event', numbers: [1], at: 1, reason: 'too large', spoil: rejecting(1) },
  {
    what: 'an event that is rejected behind an expired one',
    numbers: [1, 4, 5],
    at: 4,
    reason: 'too large',
    spoil: rejecting(4),
  },
  {
    what: 'an undecodable event',
    numbers: [1, 2, 3],
    at: 2,
    reason: 'of a later format',
    spoil: ({ ledger }: Setting) => ledger.damage(A, 2, 'of a later format'),
  },
])('$what stops its group, and no other', async ({ numbers, at, reason, spoil }) => {
  const setting = createSetting();
  await writeSent(setting, A, ...numbers);
  await writeSent(setting, B, 1, 2);
  spoil(setting);

  const plan = await planOf(setting, [A, B], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  const before = numbers.filter((number) => number < at);
  expect(report).toEqual({
    sent: before.length + 2,
    unfinished: [{ key: A, outcome: { state: 'behind', sequence: at, reason } }],
    isGivenUp: false,
  });
  expect(setting.arrived(A)).toEqual(before);
  expect(setting.marks.behind('queue', A)).toBeUndefined();
});

test('a replay stops if the destination is unreachable', async () => {
  const setting = createSetting();
  const groups = Array.from({ length: 300 }, (_, id) => aKey(id));
  for (const key of groups) await writeSent(setting, key, 1);
  let calls = 0;
  setting.destination.send = async () => {
    calls += 1;
    throw new Error('unreachable');
  };

  const plan = await planOf(setting, groups, EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(report).toMatchObject({ sent: 0, isGivenUp: true });
  expect(report.unfinished).toHaveLength(SWEEP_GROUPS);
  expect(calls).toBe(1);
});

test('events behind an expired one are sent, and the plan counts what has expired', async () => {
  const setting = createSetting();
  // One transaction made 1 to 3, of which the ledger deleted 2 first. 5 and 6 expired later, 8 is not sent yet.
  await writeSent(setting, A, 1, 3, 4, 7);
  setting.write(A, 8);

  const plan = await planOf(setting, [A], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(plan).toEqual({ groups: [{ key: A, range: { from: 1, to: 7 } }], events: 4, left: 1, missing: 3 });
  expect(report).toEqual({ sent: 4, unfinished: [], isGivenUp: false });
  expect(setting.arrived(A)).toEqual([1, 3, 4, 7]);
});

test('an undecodable event at the end of a group is not planned', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 2, 3);
  setting.ledger.damage(A, 3, 'of a later format');

  const plan = await planOf(setting, [A], EVERYTHING);

  expect(plan.groups).toEqual([{ key: A, range: { from: 1, to: 2 } }]);
});
