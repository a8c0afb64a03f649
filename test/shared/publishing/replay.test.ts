import { expect, test } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { feedEvent } from '../../../shared/contract/event.ts';
import { MINUTE, parseStamp, SECOND } from '../../../shared/instant.ts';
import { RELAY_READ_EVENTS, SWEEP_GROUPS } from '../../../shared/limits.ts';
import { planReplay, replay } from '../../../shared/publishing/replay.ts';
import { aKey, anEvent } from './an-event.ts';
import { createSetting, FEED } from './setting.ts';

type Setting = ReturnType<typeof createSetting>;
type PlanArguments = Parameters<typeof planReplay> extends [unknown, ...infer Rest] ? Rest : never;

const [A, B, C] = [aKey(1), aKey(2), aKey(3)];
const START = parseStamp('2026-11-20T10:00:00Z')?.instant ?? 0;
const EVERYTHING = { from: undefined, until: undefined };
const OPTIONS = { replayId: 'mi9', eventsPerSecond: 1_000 };

/** A group's event that showed `minute` minutes after the start. */
function shownAt(key: typeof A, sequence: number, minute: number): FeedEvent {
  const event = anEvent(key, sequence);
  const by = new Date((START + minute * MINUTE) / 1_000).toISOString();
  return { ...event, data: { ...event.data, observed: { ...event.data.observed, by } } } as FeedEvent;
}

/** Plans a replay to the queue. */
function planOf(
  { ledger, marks }: Pick<Setting, 'marks'> & { readonly ledger: Pick<Setting['ledger'], 'read'> },
  ...[keys, window, onProgress]: PlanArguments
) {
  return planReplay({ ledger, marks, destination: 'queue' }, keys, window, onProgress);
}

/** Puts events of a group into the ledger that the queue has already received. */
async function writeSent(setting: Setting, key: typeof A, ...sequences: number[]): Promise<void> {
  setting.write(key, ...sequences);
  await setting.marks.advance('queue', key, Math.max(...sequences));
}

test('events go out unchanged, in order within each group, with the id of the replay', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 2, 3);
  await writeSent(setting, B, 1, 2);

  const plan = await planOf(setting, [A, B], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(plan.events).toBe(5);
  expect(report).toEqual({ sent: 5, unfinished: [], isGivenUp: false });
  expect([setting.arrived(A), setting.arrived(B)]).toEqual([
    [1, 2, 3],
    [1, 2],
  ]);
  for (const { replayid, ...event } of setting.destination.received) {
    const key = event.partitionkey === 'acme/1' ? A : B;
    expect({ replayid, event }).toEqual({ replayid: 'mi9', event: anEvent(key, event.data.sequence) });
    expect(feedEvent.safeParse({ ...event, replayid }).success).toBe(true);
  }
});

test('without an id events go out as they are', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1);

  const plan = await planOf(setting, [A], EVERYTHING);
  await setting.clock.run(replay(setting.ports, plan, { ...OPTIONS, replayId: undefined }));

  expect(setting.destination.received).toStrictEqual([anEvent(A, 1)]);
});

test('events that the destination does not get are neither counted nor sent', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 2, 3, 4);
  await writeSent(setting, B, 1);
  setting.write(A, 5, 6);
  const ports = { ...setting.ports, admits: ({ data }: FeedEvent) => data.sequence % 2 === 0 };

  const plan = await planReplay({ ...ports, destination: 'queue' }, [A, B], EVERYTHING);
  const report = await setting.clock.run(replay(ports, plan, OPTIONS));

  expect(plan).toEqual({ groups: [{ key: A, range: { from: 1, to: 4 } }], events: 2, left: 1, missing: 0 });
  expect(report).toEqual({ sent: 2, unfinished: [], isGivenUp: false });
  expect(setting.arrived(A)).toEqual([2, 4]);
});

test('a replay changes no marks and creates none', async () => {
  const setting = createSetting();
  setting.write(A, 1, 2);
  setting.write(B, 1);
  await setting.marks.advance('queue', A, 1);

  const plan = await planOf(setting, [A, B], EVERYTHING);
  await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect([await setting.marks.load('queue', A), await setting.marks.load('queue', B)]).toEqual([
    1,
    undefined,
  ]);
});

test('unsent events are left to the relay, so that no event overtakes an earlier one', async () => {
  const setting = createSetting();
  setting.ledger.put(
    A,
    [1, 2, 3, 4, 5, 6].map((minute) => shownAt(A, minute, minute)),
  );
  setting.ledger.put(B, [shownAt(B, 1, 4), shownAt(B, 2, 5)]);
  await setting.marks.advance('queue', A, 2);
  await setting.marks.advance('bus', A, 6);
  await setting.marks.advance('bus', B, 2);

  const all = await planOf(setting, [A, B], EVERYTHING);
  const late = await planOf(setting, [A, B], { from: START + 5 * MINUTE, until: undefined });
  await setting.clock.run(replay(setting.ports, all, OPTIONS));
  await setting.clock.run(setting.relay([A, B], 10_000));

  expect(all).toEqual({ groups: [{ key: A, range: { from: 1, to: 2 } }], events: 2, left: 6, missing: 0 });
  expect(late).toEqual({ groups: [], events: 0, left: 3, missing: 0 });
  expect(setting.arrived(A)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(setting.arrived(B)).toEqual([1, 2]);
});

test('a window includes its beginning, and takes numbers without a gap', async () => {
  const setting = createSetting();
  setting.ledger.put(
    A,
    [1, 2, 3, 4].map((minute) => shownAt(A, minute, minute)),
  );
  // A process with a clock that was behind read event 2, which is between two events of the window.
  setting.ledger.put(B, [shownAt(B, 1, 2), shownAt(B, 2, 1), shownAt(B, 3, 3)]);
  setting.ledger.put(C, [shownAt(C, 1, 1), shownAt(C, 2, 9)]);
  for (const key of [A, B, C]) await setting.marks.advance('queue', key, 9);
  const window = { from: START + 2 * MINUTE, until: START + 4 * MINUTE };

  const plan = await planOf(setting, [A, B, C, A], window);

  expect(plan).toEqual({
    groups: [
      { key: A, range: { from: 2, to: 3 } },
      { key: B, range: { from: 1, to: 3 } },
    ],
    events: 5,
    left: 0,
    missing: 0,
  });
});

test('a plan excludes the feed’s own events and groups without events in the ledger', async () => {
  const setting = createSetting();
  await writeSent(setting, FEED, 1);

  const plan = await planOf(setting, [FEED, A], EVERYTHING);

  expect(plan).toEqual({ groups: [], events: 0, left: 0, missing: 0 });
});

test('a replay keeps its maximum of events a second, also after the destination was slow', async () => {
  const setting = createSetting();
  const groups = Array.from({ length: 40 }, (_, id) => aKey(id));
  for (const key of groups) await writeSent(setting, key, 1);
  const sentAt: number[] = [];
  const { send } = setting.destination;
  setting.destination.send = async (events) => {
    sentAt.push(setting.clock.elapsed());
    if (sentAt.length === 2) await setting.clock.sleep(30_000);
    return send(events);
  };

  const plan = await planOf(setting, groups, EVERYTHING);
  await setting.clock.run(replay(setting.ports, plan, { ...OPTIONS, eventsPerSecond: 5 }));

  const pauses = sentAt.slice(1).map((at, index) => (at - (sentAt[index] ?? 0)) / SECOND);
  expect(setting.destination.batches.map((batch) => batch.length)).toEqual([10, 10, 10, 10]);
  expect(pauses).toEqual([2, 30, 2]);
});

test('a rejected event stops its group, and no other', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 2, 3);
  await writeSent(setting, B, 1, 2);
  setting.destination.answer = ({ partitionkey, data }) =>
    partitionkey === 'acme/1' && data.sequence === 2
      ? { sent: false, cause: 'rejected', reason: 'too large' }
      : { sent: true };

  const plan = await planOf(setting, [A, B], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(report).toEqual({
    sent: 3,
    unfinished: [{ key: A, outcome: { state: 'behind', sequence: 2, reason: 'too large' } }],
    isGivenUp: false,
  });
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

test('events before and after the planned range are not sent', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 2, 3, 4, 5);

  const plan = { groups: [{ key: A, range: { from: 2, to: 3 } }] };
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(setting.arrived(A)).toEqual([2, 3]);
  expect(report).toEqual({ sent: 2, unfinished: [], isGivenUp: false });
});

test('a group may have more events than one read returns', async () => {
  const setting = createSetting();
  const numbers = Array.from({ length: 2 * RELAY_READ_EVENTS + 50 }, (_, index) => index + 1);
  await writeSent(setting, A, ...numbers);
  const readFrom: number[] = [];
  const read: typeof setting.ledger.read = (key, after, limit) => {
    readFrom.push(after);
    return setting.ledger.read(key, after, limit);
  };

  const plan = await planOf({ ...setting, ledger: { read } }, [A], EVERYTHING);
  await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(plan.events).toBe(numbers.length);
  expect(readFrom).toEqual([0, RELAY_READ_EVENTS, 2 * RELAY_READ_EVENTS]);
  expect(setting.arrived(A)).toEqual(numbers);
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

test('a return’s events of an earlier generation are sent first, whatever the order of the groups', async () => {
  const setting = createSetting();
  const later = { ...A, generation: 'mi9zzz' };
  await writeSent(setting, later, 1, 2);
  await writeSent(setting, A, 1, 2);
  await writeSent(setting, B, 1);

  const plan = await planOf(setting, [later, A, B], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(plan.groups.map(({ key }) => key)).toEqual([A, B, later]);
  expect(report).toEqual({ sent: 5, unfinished: [], isGivenUp: false });
  const ofReturn = setting.destination.received.filter(({ partitionkey }) => partitionkey === 'acme/1');
  expect(ofReturn.map(({ data }) => `${data.generation} ${data.sequence}`)).toEqual([
    'mi8x2k 1',
    'mi8x2k 2',
    'mi9zzz 1',
    'mi9zzz 2',
  ]);
});

test('an event that is rejected behind an expired one is named', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 4, 5);
  setting.destination.answer = ({ data }) =>
    data.sequence === 4 ? { sent: false, cause: 'rejected', reason: 'too large' } : { sent: true };

  const plan = await planOf(setting, [A], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(report.unfinished).toEqual([
    { key: A, outcome: { state: 'behind', sequence: 4, reason: 'too large' } },
  ]);
  expect(setting.arrived(A)).toEqual([1]);
});

test('an undecodable event at the end of a group is not planned', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 2, 3);
  setting.ledger.damage(A, 3, 'of a later format');

  const plan = await planOf(setting, [A], EVERYTHING);

  expect(plan.groups).toEqual([{ key: A, range: { from: 1, to: 2 } }]);
});

test('an undecodable event stops its group', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1, 2, 3);
  setting.ledger.damage(A, 2, 'of a later format');

  const plan = await planOf(setting, [A], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(report.unfinished).toEqual([
    { key: A, outcome: { state: 'behind', sequence: 2, reason: 'of a later format' } },
  ]);
  expect(setting.arrived(A)).toEqual([1]);
});

test.each([0, SWEEP_GROUPS, SWEEP_GROUPS + 1, 2 * SWEEP_GROUPS])(
  'each event of %i groups goes out once',
  async (count) => {
    const setting = createSetting();
    const groups = Array.from({ length: count }, (_, id) => aKey(id));
    for (const key of groups) await writeSent(setting, key, 1);

    const plan = await planOf(setting, groups, EVERYTHING);
    const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

    expect(report).toEqual({ sent: count, unfinished: [], isGivenUp: false });
    expect(setting.destination.received).toHaveLength(count);
  },
);

test('a replay does not stop if all events of a group are rejected for their content', async () => {
  const setting = createSetting();
  await writeSent(setting, A, 1);
  setting.destination.answer = () => ({ sent: false, cause: 'rejected', reason: 'too large' });

  const plan = await planOf(setting, [A], EVERYTHING);
  const report = await setting.clock.run(replay(setting.ports, plan, OPTIONS));

  expect(report).toMatchObject({ sent: 0, unfinished: [{ key: A }], isGivenUp: false });
});

test('planning reads groups in portions and reports its progress', async () => {
  const setting = createSetting();
  const groups = Array.from({ length: 2 * SWEEP_GROUPS + 50 }, (_, id) => aKey(id));
  const progress: number[] = [];

  await planOf(setting, groups, EVERYTHING, (looked) => progress.push(looked));

  expect(progress).toEqual([SWEEP_GROUPS, 2 * SWEEP_GROUPS, 2 * SWEEP_GROUPS + 50]);
});
