// The defect: after the stamps fell back, every later stamp lay before the settled instant. No poll saw a change any
// more, for good where stamps had run ahead of `Date`, and the feed reported itself as healthy.
import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, parseStamp } from '../../../shared/instant.ts';
import { settledByRead } from '../../../shared/reading/stamps-clock.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { notBeyondNow, noteFoundByPoll, notePassedByPolls } from '../../../shared/tick/stamps-fall-back.ts';
import { createSourceWorld } from '../source-world.ts';

const LOOKBACK = 5 * MINUTE;
const NOW = 1_000 * HOUR;

async function aState(stamps: Partial<SourceState['stamps']>, settledThrough: number): Promise<SourceState> {
  const world = createSourceWorld({ groups: 1 });
  await world.tick(world.startProcess('a'));
  const state = await world.state();
  return { ...state, settledThrough, stamps: { ...state.stamps, ...stamps } };
}

const found = (groupId: number, updatedAt: number) => ({ groupId, updatedAt, receivedAt: NOW });

it.each([
  ['none:+02:00', 'none:-05:00'],
  ['none:+02:00', 'Z'],
] as const)(
  'polls see changes again after a walk found three: stamps %s become %s',
  async (before, after) => {
    const world = createSourceWorld({
      groups: 300,
      settings: { reconcileMs: 3_600_000 },
      knobs: { stampForm: before },
    });
    const session = world.startProcess('a');
    await world.tick(session);
    const ids = world.control.snapshot().map(({ id }) => Number(id));
    const foundBy = async (id: number | undefined) => {
      world.change(id as number);
      await world.nextTick(session);
      await world.nextTick(session);
      const changed = (await world.groupEvents(id as number)).find(
        ({ type }) => type === 'return_group.updated',
      );
      return (changed?.data as { observed?: { through: string } } | undefined)?.observed?.through;
    };
    for (const id of ids.slice(0, 5)) expect(await foundBy(id)).toBe('poll');

    world.control.setKnob('stampForm', after);
    await world.nextTick(session);
    for (const id of ids.slice(10, 14)) expect(await foundBy(id)).toBeUndefined();
    await world.nextTick(session, 3_600_000);

    for (const id of ids.slice(20, 25)) expect(await foundBy(id)).toBe('poll');
  },
);

it('three groups that polls passed over set the clock and the settled instant back', async () => {
  const state = await aState({ lead: HOUR, newest: NOW, newestReceivedAt: NOW - HOUR }, NOW + 30 * MINUTE);

  const two = [found(1, NOW - MINUTE), found(2, NOW - 9 * MINUTE), found(1, NOW)].reduce(
    (known, each) => notePassedByPolls(known, each, LOOKBACK),
    state,
  );
  const three = notePassedByPolls(two, found(3, NOW - 2 * MINUTE), LOOKBACK);

  expect(two.settledThrough).toBe(NOW + 30 * MINUTE);
  expect(three.settledThrough).toBe(NOW - 9 * MINUTE - LOOKBACK);
  expect(three.stamps).toMatchObject({ lead: HOUR, newest: NOW, newestReceivedAt: NOW, passed: [] });
});

it('three more changes that polls passed over, found by the same walk, keep the known lead of the stamps', async () => {
  const state = await aState(
    { newest: NOW + 8 * HOUR, newestReceivedAt: NOW, lead: 8 * HOUR },
    NOW + 8 * HOUR,
  );

  const noted = [6, 5, 4, 3, 2, 1].reduce(
    (known, id) => notePassedByPolls(known, found(id, NOW - (10 - id) * HOUR), LOOKBACK),
    state,
  );

  expect(noted.stamps.fall).toEqual({ from: NOW + 8 * HOUR, lead: -7 * HOUR });
});

it('changes that polls still had to read, and a change that a poll saw, set nothing back', async () => {
  const state = await aState({}, NOW);
  const seenBetween = [found(1, NOW - 1), found(2, NOW - 1)].reduce(
    (known, each) => notePassedByPolls(known, each, LOOKBACK),
    state,
  );
  const seen = noteFoundByPoll(seenBetween, found(4, NOW - MINUTE), LOOKBACK);
  const again = notePassedByPolls(seen, found(3, NOW - 1), LOOKBACK);
  const unread = [1, 2, 3].reduce((known, id) => notePassedByPolls(known, found(id, NOW), LOOKBACK), state);

  expect(again.settledThrough).toBe(NOW);
  expect(unread).toEqual(state);
});

it('a change that a poll found although it asked for later ones counts as passed over', async () => {
  const state = await aState({}, NOW);
  const late = [1, 2, 3].reduce(
    (known, id) => noteFoundByPoll(known, found(id, NOW - MINUTE - 1), LOOKBACK),
    state,
  );

  expect(late.settledThrough).toBe(NOW - MINUTE - 1 - LOOKBACK);
});

// Rows that do not change keep their old stamps: these moved the clock ahead again, page by page.
it.each([
  ['none', 8, 0],
  ['Z', 0, -5],
])(
  'polls see changes again although old rows have later stamps: %s, from UTC%i to UTC%i',
  async (stampForm, first, then) => {
    const world = createSourceWorld({
      groups: 300,
      settings: { reconcileMs: 3_600_000 },
      knobs: { stampForm },
    });
    const session = world.startProcess('a');
    const ids = world.control.snapshot().map(({ id }) => Number(id));
    const change = (id: number | undefined, zone: number) =>
      world.change(id as number, world.time.now() + zone * HOUR);
    await world.tick(session);
    for (const id of ids.slice(0, 20)) {
      change(id, first);
      await world.nextTick(session);
    }
    for (const id of ids.slice(20, 32)) {
      change(id, then);
      for (let minute = 0; minute < 8; minute += 1) await world.nextTick(session);
    }

    const later = ids.slice(40, 60);
    for (const id of later) {
      change(id, then);
      for (let minute = 0; minute < 5; minute += 1) await world.nextTick(session);
    }

    const found = await Promise.all(later.map(async (id) => (await world.groupEvents(id))[0]?.data));
    expect(
      found.map((data) => (data as { observed?: { through: string } } | undefined)?.observed?.through),
    ).toEqual(later.map(() => 'poll'));
  },
);

// The lead was learned anew from the late ones. Polls then did not ask as far ahead as the next stamps lay.
it('polls find changes at once after three late ones that a walk found', async () => {
  const world = createSourceWorld({
    groups: 300,
    settings: { reconcileMs: 600_000 },
    knobs: { stampForm: 'none:+02:00' },
  });
  const session = world.startProcess('a');
  await world.tick(session);
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  const change = (id: number | undefined) => world.change(id as number);
  for (const id of ids.slice(0, 5)) {
    change(id);
    await world.nextTick(session);
  }
  world.control.setKnob('lateSeconds', { least: 4_500, most: 4_500 });
  for (const id of ids.slice(10, 13)) change(id);
  world.control.setKnob('lateSeconds', { least: 0, most: 0 });
  for (let minute = 0; minute < 100; minute += 1) await world.nextTick(session);

  for (const id of ids.slice(20, 24)) {
    change(id);
    await world.nextTick(session);
    const types = (await world.groupEvents(id)).map(({ type }) => type);
    expect(types).toEqual(['return_group.updated']);
  }
});

// A job may fill in the true updated_at of old returns: polls had to cover 300 days again before they found news.
it('polls go on from where they were after a job gave old returns stamps of 300 days ago', async () => {
  const world = createSourceWorld({ groups: 1_000, settings: { reconcileMs: 600_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  const stamp = world.control.now() - 300 * DAY;
  const old = world.control
    .snapshot()
    .filter(({ updated_at }) => (parseStamp(String(updated_at))?.instant ?? stamp) < stamp - HOUR)
    .map(({ id }) => Number(id))
    .slice(0, 3);
  for (const id of old) {
    world.control.mutate(id, (draft) => {
      draft.updated_at = stamp + id;
    });
  }

  for (let minute = 0; minute < 15; minute += 1) await world.nextTick(session);

  expect(old).toHaveLength(3);
  const known = await world.store.load({ source: 'acme', generation: (await world.state()).generation }, old);
  expect(old.map((id) => known.get(id)?.updatedAt)).toEqual(old.map((id) => stamp + id));
  expect((await world.state()).settledThrough).toBeGreaterThan(world.control.now() - 2 * LOOKBACK);
});

it('changes with stamps further back than any clock or zone can fall set nothing back', async () => {
  const state = await aState({}, NOW);
  const back = (age: number) =>
    [1, 2, 3].reduce((known, id) => notePassedByPolls(known, found(id, NOW - age), LOOKBACK), state);

  expect(back(26 * HOUR + 1)).toBe(state);
  expect(back(26 * HOUR).settledThrough).toBe(NOW - 26 * HOUR - LOOKBACK);
});

it('a change that polls passed over counts for a week; three set polls back by no more than clocks can fall', async () => {
  const state = await aState({}, NOW + 100 * DAY);
  const at = (groupId: number, receivedAt: number) => ({
    ...{ groupId, updatedAt: receivedAt - 3 * HOUR },
    receivedAt,
  });
  const third = (passed: number) =>
    [at(1, NOW), at(2, NOW), at(3, NOW + passed)].reduce(
      (known, each) => notePassedByPolls(known, each, LOOKBACK),
      state,
    );

  expect(third(7 * DAY + 1).stamps.passed).toEqual([at(3, NOW + 7 * DAY + 1)]);
  expect(third(7 * DAY + 1).settledThrough).toBe(NOW + 100 * DAY);
  expect(third(7 * DAY).settledThrough).toBe(NOW + 7 * DAY - 26 * HOUR - LOOKBACK);
  expect(third(HOUR).settledThrough).toBe(NOW - 3 * HOUR - LOOKBACK);
});

it('a settled instant later than the service’s time is set back, where stamps name their zone', async () => {
  const zoned = await aState({ zoned: true }, NOW + 1);

  expect(notBeyondNow(zoned, NOW, LOOKBACK).settledThrough).toBe(NOW - LOOKBACK);
  expect(notBeyondNow(zoned, NOW + 1, LOOKBACK)).toBe(zoned);
  const unzoned = await aState({ zoned: false }, NOW + 1);
  expect(notBeyondNow(unzoned, NOW, LOOKBACK)).toBe(unzoned);
});

it('stamps that run ahead settle nothing beyond the service’s time, where they name their zone', async () => {
  const ahead = { lead: HOUR, newest: NOW + HOUR, newestReceivedAt: NOW };
  const { stamps: zoned } = await aState({ ...ahead, zoned: true }, NOW);
  const { stamps: unzoned } = await aState({ ...ahead, zoned: false }, NOW);

  expect(settledByRead(zoned, NOW, LOOKBACK)).toBe(NOW - LOOKBACK);
  // An hour for the end of summer time.
  expect(settledByRead(unzoned, NOW, LOOKBACK)).toBe(NOW - LOOKBACK);
  expect(settledByRead({ ...unzoned, newest: NOW + 2 * HOUR }, NOW, LOOKBACK)).toBe(NOW + HOUR - LOOKBACK);
});

// Before, three changes that polls passed over took the bound of the stamps' clock away, for good.
it('stamps a month ahead do not move the clock, also after stamps fell back', async () => {
  const world = createSourceWorld({
    groups: 300,
    settings: { reconcileMs: 3_600_000 },
    knobs: { stampForm: 'none' },
  });
  const session = world.startProcess('a');
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  const change = (id: number | undefined, ahead: number) =>
    world.change(id as number, world.time.now() + ahead);
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1) await world.nextTick(session);
  };
  await ticks(1);
  for (const id of ids.slice(0, 12)) {
    change(id, 2 * HOUR);
    await ticks(1);
  }
  for (const id of ids.slice(20, 32)) {
    change(id, 0);
    await ticks(8);
  }
  expect((await world.state()).stamps.fall).toBeDefined();

  for (const id of ids.slice(50, 60)) change(id, 30 * DAY);
  await ticks(70);
  change(ids[70], 0);
  await ticks(2);

  expect(await world.groupEvents(ids[70] as number)).toHaveLength(1);
  expect((await world.state()).read.upTo ?? 0).toBeLessThan(world.time.now());
});

// Before, three copied groups set the clock back by hours, for good, and polls no longer reached what changed.
it('groups that a job copies into the store, with old stamps, delay no poll', async () => {
  const world = createSourceWorld({
    groups: 1_000,
    settings: { reconcileMs: 3_600_000 },
    knobs: { limitMax: 20, order: 'created_at:desc' },
  });
  const session = world.startProcess('a');
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  const changeAMinute = async (each: readonly number[]) => {
    for (const id of each) {
      world.change(id);
      await world.nextTick(session);
    }
  };
  await changeAMinute(ids.slice(0, 70));
  for (let copied = 0; copied < 200; copied += 1)
    world.control.create((draft) => {
      draft.updated_at = world.time.now() - 20 * HOUR + copied * 4 * MINUTE;
    });

  for (let round = 0; round < 30; round += 1) await changeAMinute(ids.slice(100, 103));

  const found = await Promise.all(ids.slice(100, 102).map((id) => world.groupEvents(id)));
  expect(found.map((events) => events.length)).toEqual([30, 30]);
  expect((await world.state()).settledThrough).toBeGreaterThan(world.time.now() - 10 * MINUTE);
});
