import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { aKey } from '../publishing/an-event.ts';
import { createWebhookWorld, KEY, OTHER, WEBHOOK, worldWith } from './webhook-world.ts';

const someKeys = (count: number) => Array.from({ length: count }, (_, n) => aKey(100 + n));

describe('a failing endpoint', () => {
  it('gets two probes at a time, and nothing is posted for the other returns', async () => {
    const world = createWebhookWorld();
    const keys = someKeys(12);
    for (const key of keys) world.show(key, 1);
    world.answer = () => ({ failure: 'ECONNREFUSED' });

    for (const key of keys.slice(0, 5)) await world.ring(key, 1);
    const outcomes = await Promise.all(
      keys.slice(5).map((key) => world.sender()({ key, sequence: 1 }, 60_000)),
    );

    expect(world.posted).toHaveLength(5);
    expect(outcomes.every((outcome) => !outcome.isDone && outcome.failingForMs === undefined)).toBe(true);

    await world.clock.advance(2 * SECOND);
    world.takesMs = () => 1_000;
    await world.clock.run(
      Promise.all(keys.slice(5).map((key) => world.sender()({ key, sequence: 1 }, 60_000))),
    );
    expect(world.posted).toHaveLength(7);
  });

  it('has each failure counted, however many returns a sender posts at once', async () => {
    const world = createWebhookWorld();
    const keys = someKeys(20);
    for (const key of keys) world.show(key, 1);
    world.answer = () => ({ failure: 'ECONNREFUSED' });

    const send = world.sender();
    await Promise.all(keys.map((key) => send({ key, sequence: 1 }, 60_000)));

    expect((await world.endpoints.load(WEBHOOK))?.failures).toBe(20);
  });

  it('gets one retry at a time, beside which a return that never failed is tried', async () => {
    const world = createWebhookWorld();
    const keys = someKeys(5);
    for (const key of [...keys, KEY]) world.show(key, 1);
    world.answer = ({ partitionkey }) =>
      partitionkey === 'acme/1' ? { status: 204 } : { failure: 'timeout' };
    for (const key of keys) await world.ring(key, 1);
    await world.clock.advance(MINUTE);
    world.takesMs = ({ partitionkey }) => (partitionkey === 'acme/1' ? 0 : 15_000);

    const retries = keys.map((key) => world.sender()({ key, sequence: 1 }, 60_000));
    const healthy = world.sender()({ key: KEY, sequence: 1 }, 60_000);
    expect(await world.clock.run(healthy, SECOND)).toEqual({ isDone: true });
    await world.clock.run(Promise.all(retries));

    expect(world.posted.filter(({ body }) => !body.includes('acme/1"'))).toHaveLength(6);
  });

  it('works again for all after one accepted event', async () => {
    const world = createWebhookWorld();
    const keys = someKeys(12);
    for (const key of keys) world.show(key, 1);
    world.answer = () => ({ status: 500 });
    for (const key of keys.slice(0, 5)) await world.ring(key, 1);
    world.answer = () => ({ status: 200 });
    await world.clock.advance(HOUR);

    for (const key of keys) expect(await world.ring(key, 1)).toEqual({ isDone: true });
  });

  it('gets posts of at most two returns at once that failed before, and of all others without a limit', async () => {
    const world = createWebhookWorld();
    const failing = someKeys(6);
    for (const key of [...failing, KEY]) world.show(key, 1, 2);
    for (const key of failing) {
      await world.marks.advance(WEBHOOK, key, 1);
      const failure = { sequence: 2, reason: 'timeout', at: world.clock.now() };
      await world.marks.noteFailing(WEBHOOK, key, failure);
    }
    world.takesMs = ({ partitionkey }) => (partitionkey === 'acme/1' ? 0 : 15_000);
    world.answer = ({ partitionkey }) =>
      partitionkey === 'acme/1' ? { status: 204 } : { failure: 'timeout' };

    const retries = failing.map((key) => world.sender()({ key, sequence: 2 }, 60_000));
    const healthy = world.sender()({ key: KEY, sequence: 1 }, 60_000);
    expect(await world.clock.run(healthy)).toEqual({ isDone: true });
    await world.clock.run(Promise.all(retries));

    expect(world.posted.filter(({ body }) => !body.includes('acme/1"'))).toHaveLength(2);
  });

  it('does not count as failing while it accepts other events, however many returns fail', async () => {
    const world = worldWith(1);
    const failing = someKeys(9);
    for (const key of [...failing, OTHER]) world.show(key, 1);
    world.answer = ({ partitionkey }) => (partitionkey.length > 6 ? { status: 500 } : { status: 204 });
    await world.ring(OTHER, 1);

    for (const key of failing) expect(await world.ring(key, 1)).toMatchObject({ failingForMs: 0 });

    expect(world.posted).toHaveLength(10);
    await world.clock.advance(2 * MINUTE);
    expect(await world.ring(KEY, 1)).toEqual({ isDone: true });
  });

  it('lets a return that finds no place among the retries look again at the pace of its own retries', async () => {
    const world = createWebhookWorld({ retriesAtOnce: 1 });
    for (const key of [KEY, OTHER]) {
      world.show(key, 1);
      await world.marks.advance(WEBHOOK, key, 0);
      await world.marks.noteFailing(WEBHOOK, key, { sequence: 1, reason: 'timeout', at: world.clock.now() });
    }
    await world.clock.advance(DAY);
    world.takesMs = () => 15_000;
    world.answer = () => ({ failure: 'timeout' });

    const first = world.sender()({ key: KEY, sequence: 1 }, 60_000);
    const second = world.sender()({ key: OTHER, sequence: 1 }, 60_000);

    expect(await world.clock.run(second)).toEqual({
      ...{ isDone: false, retryInMs: 900_000, failingForMs: undefined },
    });
    await world.clock.run(first);
  });

  it('is left alone while an operator paused it', async () => {
    const world = worldWith(1);
    await world.ring(KEY, 1);
    const state = await world.endpoints.load(WEBHOOK);
    if (state === undefined) throw new Error('The endpoint must have a state.');
    await world.endpoints.save(WEBHOOK, { ...state, isPaused: true }, state.version);
    world.show(KEY, 2);

    expect(await world.ring(KEY, 2)).toMatchObject({ isDone: false, retryInMs: 60_000 });

    expect(world.acceptedNumbers(KEY)).toEqual([1]);
  });
});
