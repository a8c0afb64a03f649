// Returns whose posts are never answered, beside others.
import { describe, expect, it } from 'vitest';
import { createRingSchedule } from '../../../local/feed/ring-schedule.ts';
import { SECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { aKey } from '../publishing/an-event.ts';
import { createWebhookWorld, KEY, OTHER, type WebhookWorldOptions, worldWith } from './webhook-world.ts';

const someKeys = (count: number, from: number) => Array.from({ length: count }, (_, n) => aKey(from + n));
const HANGING = someKeys(20, 100);
const OTHERS = someKeys(60, 1_000);

interface Setting extends WebhookWorldOptions {
  readonly atOnce: number;
  /** Whether senders know that no other return waits. */
  readonly knowsWaiting: boolean;
}

const ON_ONE_MACHINE = { atOnce: 10, retriesAtOnce: 5, hangsAfterMs: 250, knowsWaiting: true };
const IN_AWS = { atOnce: 5, retriesAtOnce: 2, hangsAfterMs: 1_000, knowsWaiting: false };

/** Senders that take returns in the order of their rings, and note how long each took until it was accepted. */
function startSenders({ atOnce, knowsWaiting, ...options }: Setting) {
  const world = createWebhookWorld(options);
  for (const key of [...HANGING, ...OTHERS]) world.show(key, 1);
  const isOther = (partitionkey: string) => Number(partitionkey.split('/')[1]) >= 1_000;
  world.takesMs = ({ partitionkey }) => (isOther(partitionkey) ? 20 : 15_000);
  world.answer = ({ partitionkey }) => (isOther(partitionkey) ? { status: 204 } : { failure: 'timeout' });
  const rangAt = new Map<unknown, number>();
  const delays: number[] = [];
  const send = world.sender(knowsWaiting ? { othersWait: () => schedule.hasWaiting() } : {});
  const schedule = createRingSchedule({
    async send(ring) {
      const outcome = await send(ring, 60_000);
      const delay = world.clock.elapsed() - (rangAt.get(ring.key.group) ?? 0);
      if (outcome.isDone) delays.push(delay / SECOND);
      return outcome;
    },
    ...{ clock: world.clock, atOnce },
    onError(error) {
      throw error;
    },
  });
  return {
    world,
    delays,
    ring(key: GroupKey) {
      rangAt.set(key.group, world.clock.elapsed());
      schedule.ring({ key, sequence: 1 });
    },
  };
}

describe('twenty returns whose posts are never answered', () => {
  it.each([
    ['on one machine', ON_ONE_MACHINE, 1],
    ['in AWS', IN_AWS, 7],
  ])('delay the others once, and by seconds: %s', async (_where, setting, mostSeconds) => {
    const { world, delays, ring } = startSenders(setting);

    for (const key of HANGING) ring(key);
    for (const key of OTHERS) {
      ring(key);
      await world.clock.advance(SECOND);
    }

    expect(delays).toHaveLength(OTHERS.length);
    expect(Math.max(...delays)).toBeLessThan(mostSeconds);
    expect(delays.filter((delay) => delay > 0.1).length).toBeLessThanOrEqual(mostSeconds);
  });

  it('are each tried again for the whole time of an attempt', async () => {
    const { world, ring } = startSenders(ON_ONE_MACHINE);
    world.takesMs = () => 14_000;
    world.answer = () => ({ status: 204 });

    for (const key of HANGING) ring(key);
    await world.clock.advance(600 * SECOND);

    for (const key of HANGING) expect(world.acceptedNumbers(key)).toEqual([1]);
  });
});

describe('a post that is not answered soon', () => {
  it('waits for its answer while retries leave a place', async () => {
    const world = worldWith(1, { retriesAtOnce: 1 });
    world.takesMs = () => 14_000;

    expect(await world.ring(KEY, 1)).toEqual({ isDone: true });
  });

  it('waits for its answer while no other return waits', async () => {
    const world = worldWith(1, { retriesAtOnce: 0 });
    world.takesMs = () => 14_000;

    const sent = world.sender({ othersWait: () => false })({ key: KEY, sequence: 1 }, 60_000);

    expect(await world.clock.run(sent)).toEqual({ isDone: true });
  });

  it('waits for its answer where accepted posts take as long', async () => {
    const world = worldWith(1, { retriesAtOnce: 1 });
    world.takesMs = () => 4_000;
    await world.ring(KEY, 1);
    const keys = someKeys(5, 100);
    for (const key of keys) world.show(key, 1);

    const sent = keys.map((key) => world.sender()({ key, sequence: 1 }, 60_000));

    expect(await world.clock.run(Promise.all(sent))).toEqual(keys.map(() => ({ isDone: true })));
  });

  it('does not count as a failure of the endpoint when it ends for others', async () => {
    const world = worldWith(1, { retriesAtOnce: 0 });
    world.takesMs = () => 15_000;

    const outcome = await world.ring(KEY, 1);

    expect(outcome).toMatchObject({ isDone: false, retryInMs: 5_000 });
    expect(world.clock.elapsed()).toBe(SECOND);
    expect(await world.endpoints.load('Wms')).toMatchObject({ failures: 0 });
    world.show(OTHER, 1);
    world.takesMs = () => 0;
    expect(await world.ring(OTHER, 1)).toEqual({ isDone: true });
  });
});
