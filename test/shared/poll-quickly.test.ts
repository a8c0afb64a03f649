import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../local/reference-service/service/answer.ts';
import { HOUR, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { pollQuickly, type QuickReport } from '../../shared/poll-quickly.ts';
import type { SourceServices, SourceSession } from '../../shared/source/source-session.ts';
import { conditions, readReportsOf } from './read-reports.ts';
import { createSourceWorld, type SourceWorld, type SourceWorldOptions } from './source-world.ts';

/** A source whose baseline and first polls are over, and that has no walk due in the next minutes. */
async function restingWorld(options: SourceWorldOptions = {}) {
  const { settings, ...others } = options;
  const world = createSourceWorld({ ...others, settings: { reconcileMs: 3_600_000, ...settings } });
  const long = world.startProcess('long');
  await world.tick(long);
  for (let minute = 0; minute < 15; minute += 1) await world.nextTick(long);
  return { world, long };
}

async function quickTick(
  { time, slot }: SourceWorld,
  session: SourceSession,
  afterMs = 60_000,
): Promise<QuickReport> {
  await time.advance(afterMs * MILLISECOND);
  return time.run(pollQuickly({ slot: slot(), durationMs: 12_000 }, session));
}

/** What may change a stored source. */
function countSaves(world: SourceWorld) {
  const order: string[] = [];
  const states: SourceServices['states'] = {
    ...world.states,
    save(state, expected) {
      order.push(state.lease.expiresAt === 0 ? 'state released' : 'state with lease');
      return world.states.save(state, expected);
    },
  };
  const store: SourceServices['store'] = {
    ...world.store,
    save(key, save) {
      order.push('snapshot');
      return world.store.save(key, save);
    },
  };
  return { order, services: { states, store } };
}

describe('a quick tick', () => {
  it('sends one request and writes nothing if nothing is new', async () => {
    const { world } = await restingWorld();
    const { order, services } = countSaves(world);
    const session = world.startProcess('quick', services);
    const before = await world.state();

    const reports = [await quickTick(world, session), await quickTick(world, session)];

    expect(reports).toMatchObject([
      { outcome: 'quiet', requests: 1, polls: 1, behindMs: 0 },
      { outcome: 'quiet', requests: 1, polls: 1, behindMs: 0 },
    ]);
    expect(reports[1]?.quietAt).toBe(world.slot() - 20);
    expect(order).toEqual([]);
    expect(await world.state()).toEqual(before);
  });

  it('publishes what is new, and takes the lease before the first snapshot', async () => {
    const { world } = await restingWorld();
    const { order, services } = countSaves(world);
    const session = world.startProcess('quick', services);
    await quickTick(world, session);
    const group = world.someGroup();
    world.change(group);

    const report = await quickTick(world, session);

    expect(report).toMatchObject({ outcome: 'saved', counts: { events: 1 } });
    expect(order).toEqual(['state with lease', 'snapshot', 'state released']);
    expect(await world.groupEvents(group)).toHaveLength(1);
    expect(await quickTick(world, session)).toMatchObject({ outcome: 'quiet' });
  });

  it('saves that a row cannot be read, which is reported', async () => {
    const { world } = await restingWorld();
    const session = world.startProcess('quick');
    world.network.intercept = () => jsonAnswer(200, [{ id: 'no number' }]);

    const report = await quickTick(world, session);

    expect(report).toMatchObject({ outcome: 'saved', counts: { unreadable: 1 } });
    expect(await conditions(world)).toContain('feed.source_degraded unreadable');
  });

  it('saves nothing once another process has saved the source', async () => {
    const { world, long } = await restingWorld();
    const session = world.startProcess('quick');
    await quickTick(world, session);
    const group = world.someGroup();
    world.change(group);
    let isFirst = true;
    world.network.onRequest = async () => {
      if (!isFirst) return;
      isFirst = false;
      const state = await world.state();
      await world.states.save({ ...state, version: state.version + 1 }, state.version);
    };

    const report = await quickTick(world, session);

    expect(report.outcome).toBe('overtaken');
    expect(await world.groupEvents(group)).toHaveLength(0);
    await world.nextTick(long);
    expect(await world.groupEvents(group)).toHaveLength(1);
  });

  it('sends no request while another process reads the source', async () => {
    const { world } = await restingWorld();
    const state = await world.state();
    const lease = { owner: 'other', epoch: state.lease.epoch, expiresAt: world.time.now() + 2 * MINUTE };
    await world.states.save({ ...state, lease, version: state.version + 1 }, state.version);

    const report = await quickTick(world, world.startProcess('quick'));

    expect(report).toMatchObject({ outcome: 'busy', requests: 0 });
  });

  it('leaves a failure to a long tick, without a second try', async () => {
    const { world } = await restingWorld();
    const session = world.startProcess('quick');
    world.network.intercept = () => jsonAnswer(503, {});

    const report = await quickTick(world, session);

    expect(report).toMatchObject({ outcome: 'long', requests: 1, why: expect.stringContaining('503') });
  });

  it('leaves answers that are too long to a long tick', async () => {
    const { world } = await restingWorld();
    for (const group of world.oldestFirst().slice(0, 30)) world.change(group);
    const session = world.startProcess('quick');
    world.network.intercept = () => ({ ...jsonAnswer(200, []), body: `[${' '.repeat(1_100_000)}]` });

    const report = await quickTick(world, session);

    expect(report).toMatchObject({ outcome: 'long', requests: 1 });
  });

  it('sends at most two requests, and a long tick goes on', async () => {
    const { world, long } = await restingWorld({ groups: 400 });
    for (const group of world.oldestFirst()) world.change(group);
    const session = world.startProcess('quick');

    const report = await quickTick(world, session);
    const next = await world.nextTick(long);

    expect(report).toMatchObject({ outcome: 'long', requests: 2 });
    expect(report.counts.events + next.counts.events).toBe(401);
  });

  it('saves a pause that the service asks for, which then holds for all processes', async () => {
    const { world } = await restingWorld();
    const [session, other] = [world.startProcess('quick'), world.startProcess('other')];
    world.network.intercept = () => ({ ...jsonAnswer(429, {}), headers: { 'retry-after': '120' } });

    const limited = await quickTick(world, session);
    world.network.intercept = undefined;
    const resting = await quickTick(world, other);
    const after = await quickTick(world, other, 90_000);

    expect(limited).toMatchObject({ outcome: 'saved', requests: 1, rateLimited: 1 });
    expect(resting).toMatchObject({ outcome: 'resting', requests: 0 });
    expect(after).toMatchObject({ outcome: 'long', requests: 0 });
  });

  it('does not rest for a pause that only a wrong clock can have saved', async () => {
    const { world } = await restingWorld();
    const state = await world.state();
    const pausedUntil = world.time.now() + 48 * HOUR;
    await world.states.save({ ...state, pausedUntil, version: state.version + 1 }, state.version);

    const report = await quickTick(world, world.startProcess('quick'));

    expect(report).toMatchObject({ outcome: 'quiet', requests: 1 });
  });

  it.each([
    ['a source without a state', async () => ({ world: createSourceWorld() })],
    [
      'a walk that is due',
      async () => {
        const resting = await restingWorld();
        await resting.world.time.advance(HOUR);
        return resting;
      },
    ],
    [
      'a source that is polled more than once a minute',
      () => restingWorld({ settings: { intervalMs: 5_000 } }),
    ],
    ['a small budget', () => restingWorld({ settings: { requestsPerMinute: 30 } })],
  ])('leaves %s to a long tick, without a request', async (_, open) => {
    const { world } = await open();

    const report = await quickTick(world, world.startProcess('quick'));

    expect(report).toMatchObject({ outcome: 'long', requests: 0 });
  });

  it('leaves changed settings to a long tick, without a request', async () => {
    const { world } = await restingWorld();
    const settings = { ...world.settings, lookbackMs: 900_000 };

    const report = await quickTick(world, world.startProcess('quick', { settings }));

    expect(report).toMatchObject({ outcome: 'long', requests: 0, why: 'its settings have changed' });
  });

  it('finds what another process published and was changed back, although it remembers the state before', async () => {
    const { world } = await restingWorld();
    const [first, second] = [world.startProcess('first'), world.startProcess('second')];
    const group = world.someGroup();
    world.change(group);
    await quickTick(world, first);
    world.change(group);
    await quickTick(world, second);
    world.change(group);

    await quickTick(world, first);

    expect(await world.groupEvents(group)).toHaveLength(3);
  });

  it('publishes feed.source_read in its minute', async () => {
    const { world } = await restingWorld({ settings: { sourceRead: true } });

    const session = world.startProcess('quick');
    const before = (await readReportsOf(world)).length;

    const reports = [await quickTick(world, session), await quickTick(world, session)];

    expect(reports).toMatchObject([{ outcome: 'saved' }, { outcome: 'saved' }]);
    expect(await readReportsOf(world)).toHaveLength(before + 2);
  });
});

describe('a long tick after quiet quick ones', () => {
  it('counts them as polls: the source is not reported as stalled', async () => {
    const { world, long } = await restingWorld();
    const session = world.startProcess('quick');
    let quietAt: number | undefined;
    for (let minute = 0; minute < 20; minute += 1) ({ quietAt } = await quickTick(world, session));
    world.network.intercept = () => jsonAnswer(503, {});
    await world.time.advance(MINUTE);

    const noted = await world.tick(long, { durationMs: 20_000, quietAt });

    expect(noted.behindMs).toBe(0);
    expect((await world.state()).health.degradedSince).toBeUndefined();
  });
});
