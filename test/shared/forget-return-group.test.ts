// A return group is forgotten while polls of its source continue.
import { expect, test } from 'vitest';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import { forgetReturnGroup } from '../../shared/forget-return-group.ts';
import { MINUTE } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { createMemoryMarks } from '../fakes/memory-marks.ts';
import { createSourceWorld } from './source-world.ts';

/** A source that published all groups. Of one group the bus received every event and the queue all but the last. */
async function known() {
  const world = createSourceWorld({ settings: { baseline: 'emit' } });
  const session = world.startProcess('a');
  await world.tick(session);
  const groupId = world.someGroup();
  const events = await world.groupEvents(groupId);
  const key = { ...(await world.source()), group: groupId };
  const marks = createMemoryMarks();
  await marks.advance('bus', key, events.length);
  await marks.advance('queue', key, events.length - 1);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const eraser = {
    async erase(of: typeof key, through: number) {
      const before = await world.ledger.read(of, 0, through);
      world.ledger.expire(of, through);
      return before.filter(({ sequence }) => sequence <= through).length;
    },
  };
  const ports = { ...world, marks, eraser, clock: world.time, log: silent };
  const forget = async () => forgetReturnGroup(ports, await world.state(), groupId, ['queue', 'bus']);
  return { world, session, groupId, key, events, marks, forget, ports };
}

test('forgetting leaves a tombstone and one event with the id, and reports the destinations that missed events', async () => {
  const { world, groupId, key, events, marks, forget } = await known();

  const forgotten = await forget();

  const last = events.length;
  expect(forgotten).toEqual([
    {
      generation: key.generation,
      lastNumber: last + 1,
      isPublished: true,
      erased: last,
      unsent: [{ destination: 'queue', range: { from: last, to: last } }],
    },
  ]);
  expect(await world.groupEvents(groupId)).toMatchObject([
    { type: 'return_group.forgotten', data: { sequence: last + 1, object: { id: groupId } } },
  ]);
  expect((await world.store.load(key, [groupId])).get(groupId)).toMatchObject({
    sequence: last + 1,
    absences: {},
  });
  expect([await marks.load('queue', key), await marks.load('bus', key)]).toEqual([last, last]);
  const reports = (await world.feedEvents()).map(({ type, data }) => ({ type, object: data.object }));
  expect(reports).toContainEqual({
    type: 'feed.events_skipped',
    object: expect.objectContaining({ destination: 'queue', return_group_id: groupId, from_sequence: last }),
  });
});

test('a group that returns is published as created, with the next sequence number', async () => {
  const { world, session, groupId, events, forget } = await known();
  await forget();

  await world.time.advance(MINUTE);
  world.setShipment(groupId, 'FAILED');
  await world.nextTick(session);

  const [, first, ...others] = await world.groupEvents(groupId);
  expect(first).toMatchObject({ type: 'return_group.created', data: { sequence: events.length + 2 } });
  expect(others.every(({ type }) => type.endsWith('.created'))).toBe(true);
});

test('forgetting again completes an interrupted run, and changes nothing after a complete one', async () => {
  const { world, groupId, events, forget, ports } = await known();
  const erase = ports.eraser.erase;
  ports.eraser.erase = async () => {
    throw new Error('The connection is gone.');
  };
  await expect(forget()).rejects.toThrow('gone');
  ports.eraser.erase = erase;

  const [completed, again] = [await forget(), await forget()];

  const lastNumber = events.length + 1;
  expect(completed).toMatchObject([{ lastNumber, erased: events.length, unsent: [] }]);
  expect(again).toMatchObject([{ lastNumber, erased: 0, unsent: [] }]);
  expect(await world.groupEvents(groupId)).toMatchObject([{ type: 'return_group.forgotten' }]);
});

test('an unknown group is not forgotten, but its notes in the state are', async () => {
  const { world, ports } = await known();
  const state = await world.state();
  const aside = (groupId: number) => ({ groupId, reason: 'no status', digest: 'k3j4', since: 0, seenAt: 0 });
  const sample = (groupId: number) => ({ groupId, what: 'return group', before: 'known', after: 'missing' });
  const hold = {
    ...{ number: 1, kind: 'removals' as const, phase: 'holding' as const, since: 0, phaseSince: 0 },
    ...{ count: 2, samples: [sample(7), sample(8)] },
  };
  const notes = {
    setAside: [aside(7), aside(8)],
    lookUps: [7, 8].map((groupId) => ({ groupId, dueAt: 0 })),
    holds: [hold],
  };
  await world.states.save({ ...state, ...notes, version: state.version + 1 }, state.version);

  const forgotten = await forgetReturnGroup(ports, await world.state(), 7, ['queue']);

  expect(forgotten).toEqual([]);
  expect(await world.state()).toMatchObject({
    setAside: [aside(8)],
    lookUps: [{ groupId: 8 }],
    holds: [{ samples: [sample(8)] }],
  });
});

test('earlier generations are forgotten too, without an event: their numbers may be in use elsewhere', async () => {
  const { world, groupId, key, events, marks, forget } = await known();
  const state = await world.state();
  const earlierGenerations = [key.generation];
  const renewed = { ...state, version: state.version + 1, generation: 'zzzzzzzz', earlierGenerations };
  await world.states.save(renewed, state.version);
  const feed: GroupKey = { ...key, group: FEED_GROUP };
  const reports = await world.ledger.read(feed, 0, 100);

  const forgotten = await forget();

  const silent = { isPublished: false, lastNumber: events.length, unsent: [] };
  expect(forgotten).toMatchObject([{ generation: key.generation, erased: events.length, ...silent }]);
  expect((await world.store.load(key, [groupId])).get(groupId)?.projection.group.order.name).toBeNull();
  expect(await marks.load('queue', key)).toBe(events.length);
  expect(await world.ledger.read(feed, 0, 100)).toEqual(reports);
});
