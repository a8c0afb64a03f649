import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Activities } from '../../../shared/ports.ts';
import { createSourceWorld, SOURCE, type SourceWorld } from '../source-world.ts';

const sum = (numbers: readonly number[] = []) => numbers.reduce((total, number) => total + number, 0);

async function activityOf(world: SourceWorld) {
  const { minutes = [], recent = [] } = (await world.activities.load(SOURCE)) ?? {};
  return {
    minutes,
    recent,
    requests: sum(minutes.map(({ requests }) => requests)),
    events: sum(minutes.map(({ events }) => events)),
  };
}

/** Activities that count their saves. */
function countingSaves(world: SourceWorld, saves: number[]): Partial<{ activities: Activities }> {
  return {
    activities: {
      ...world.activities,
      save(source, activity) {
        saves.push(world.time.elapsed());
        return world.activities.save(source, activity);
      },
    },
  };
}

describe('the activity of a source', () => {
  it('has the requests, the changes with their delay, and the groups that changed', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    await world.nextTick(session);
    const changed = world.someGroup();
    world.setShipment(changed, 'FAILED');
    await world.time.advance(10 * SECOND);

    await world.tick(session);

    const { minutes, recent, requests, events } = await activityOf(world);
    const [latest] = minutes;
    expect(requests).toBe(world.requests().length);
    expect(events).toBe((await world.events()).filter(({ type }) => !type.startsWith('feed.')).length);
    expect(latest?.events).toBeGreaterThan(0);
    expect(latest).toMatchObject({ delayed: latest?.events });
    expect(latest?.longestDelayMs).toBeGreaterThanOrEqual(10_000);
    expect(latest?.longestDelayMs).toBeLessThan(13_000);
    const [first] = recent;
    expect(first).toMatchObject({ group: changed });
    expect(first?.sequence).toBe((await world.groupEvents(changed)).at(-1)?.data.sequence);
  });

  it('has the events of the feed itself among the groups', async () => {
    const world = createSourceWorld();

    await world.tick(world.startProcess('a'));

    const { recent } = await activityOf(world);
    expect((await world.feedEvents()).length).toBe(1);
    expect(recent).toMatchObject([{ group: 'feed', sequence: 1 }, { group: world.newest }]);
  });

  it('continues after a restart', async () => {
    const world = createSourceWorld();
    await world.tick(world.startProcess('a'));

    await world.nextTick(world.startProcess('a'));

    const { minutes, requests } = await activityOf(world);
    expect(minutes).toHaveLength(2);
    expect(requests).toBe(world.requests().length);
  });

  it('loses nothing when two processes take turns', async () => {
    const world = createSourceWorld();
    const [a, b] = [world.startProcess('a'), world.startProcess('b')];

    for (const session of [a, b, a, a, b, a]) await world.nextTick(session);

    expect((await activityOf(world)).requests).toBe(world.requests().length);
  });

  it('is saved during a long tick, every few seconds at most', async () => {
    const world = createSourceWorld({ groups: 2_000, knobs: { limitMax: 20 }, latencyMs: 200 });
    const saves: number[] = [];
    const session = world.startProcess('a', countingSaves(world, saves));

    const began = world.time.elapsed();
    await world.tick(session);

    const tookSeconds = (world.time.elapsed() - began) / SECOND;
    expect(tookSeconds).toBeGreaterThan(15);
    expect(saves.length).toBeGreaterThanOrEqual(Math.floor(tookSeconds / 7));
    const pauses = saves.slice(1, -1).map((at, place) => at - (saves[place] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5 * SECOND);
  });

  it('is not saved by each of many ticks that find nothing', async () => {
    const world = createSourceWorld({ settings: { intervalMs: 2_000 } });
    const saves: number[] = [];
    const session = world.startProcess('a', countingSaves(world, saves));
    await world.tick(session);
    await world.nextTick(session, 10 * 60_000);
    saves.length = 0;

    for (let tick = 0; tick < 30; tick += 1) await world.nextTick(session, 2_000);

    expect(saves.length).toBeGreaterThan(5);
    expect(saves.length).toBeLessThanOrEqual(14);
  });
});

describe('a write of the activity that fails', () => {
  const failing: readonly [string, Partial<Activities>][] = [
    ['to load', { load: () => Promise.reject(new Error('no table')) }],
    ['to save', { save: () => Promise.reject(new Error('no table')) }],
  ];

  it.each(failing)('%s changes nothing for the tick, and is only logged', async (_, broken) => {
    const [sound, world] = [createSourceWorld(), createSourceWorld()];
    const session = sound.startProcess('a');
    const other = world.startProcess('a', { activities: { ...world.activities, ...broken } });

    for (const [each, at] of [
      [sound, session],
      [world, other],
    ] as const) {
      await each.tick(at);
      each.setShipment(each.someGroup(), 'FAILED');
    }
    const [expected, report] = [await sound.nextTick(session), await world.nextTick(other)];

    const { state: _state, ...figures } = report;
    const { state: _expectedState, ...expectedFigures } = expected;
    expect(figures).toEqual(expectedFigures);
    expect(await world.events()).toEqual(await sound.events());
    expect(world.time.elapsed()).toBe(sound.time.elapsed());
    expect(world.logged.filter(({ message }) => message.includes('activity'))).toHaveLength(2);
  });

  it('loses nothing: the next write contains it', async () => {
    const world = createSourceWorld();
    let isBroken = true;
    const session = world.startProcess('a', {
      activities: {
        ...world.activities,
        save: async (source, activity) => {
          if (isBroken) throw new Error('no table');
          await world.activities.save(source, activity);
        },
      },
    });
    await world.tick(session);
    isBroken = false;

    await world.time.advance(MINUTE);
    await world.tick(session);

    expect((await activityOf(world)).requests).toBe(world.requests().length);
  });
});
