// What a replay plans and sends, and how fast; replay-failures.test.ts has what can't be sent.
import { expect, test } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { feedEvent } from '../../../shared/contract/event.ts';
import { MINUTE, parseStamp, SECOND } from '../../../shared/instant.ts';
import { RELAY_READ_EVENTS, SWEEP_GROUPS } from '../../../shared/limits.ts';
import { planReplay, replay } from '../../../shared/publishing/replay.ts';
import { aKey, anEvent } from './an-event.ts';
import { EVERYTHING, OPTIONS, planOf, writeSent } from './replay-setting.ts';
import { createSetting, FEED } from './setting.ts';

const [A, B, C] = [aKey(1), aKey(2), aKey(3)];
const START = parseStamp('2026-11-20T10:00:00Z')?.instant ?? 0;

/** A group's event that showed `minute` minutes after the start. */
function shownAt(key: typeof A, sequence: number, minute: number): FeedEvent {
  const event = anEvent(key, sequence);
  const by = new Date((START + minute * MINUTE) / 1_000).toISOString();
  return { ...event, data: { ...event.data, observed: { ...event.data.observed, by } } } as FeedEvent;
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

test('planning reads groups in portions and reports its progress', async () => {
  const setting = createSetting();
  const groups = Array.from({ length: 2 * SWEEP_GROUPS + 50 }, (_, id) => aKey(id));
  const progress: number[] = [];

  await planOf(setting, groups, EVERYTHING, (looked) => progress.push(looked));

  expect(progress).toEqual([SWEEP_GROUPS, 2 * SWEEP_GROUPS, 2 * SWEEP_GROUPS + 50]);
});
