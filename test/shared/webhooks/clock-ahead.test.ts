// Senders whose clocks are wrong. Each is wrong for a moment; afterwards all clocks are right, and the endpoint works.
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { newEndpoint, withoutFutureMoments } from '../../../shared/webhooks/endpoint-state.ts';
import { aKey } from '../publishing/an-event.ts';
import { createWebhookWorld, KEY, OTHER, WEBHOOK, worldWith } from './webhook-world.ts';

type World = ReturnType<typeof createWebhookWorld>;

/** A clock that is ahead of the world's, or behind it where `by` is negative. */
const clockAhead = ({ clock }: World, by: number) => ({ ...clock, now: () => clock.now() + by });

const ringAhead = (world: World, key: typeof KEY, by: number, sequence = 1) =>
  world.clock.run(world.sender({ clock: clockAhead(world, by) })({ key, sequence }, 60_000));

/** Rings as the queue does until the event is accepted. */
async function timeUntilAccepted(world: World, key: typeof KEY, sequence = 1): Promise<Instant> {
  const begin = world.clock.now();
  while (world.clock.now() < begin + 10 * DAY) {
    const outcome = await world.ring(key, sequence);
    if (outcome.isDone) break;
    await world.clock.advance(outcome.retryInMs * 1_000);
  }
  return world.clock.now() - begin;
}

const OUTAGES = [
  [{ status: 500 }, 6],
  [{ status: 503 }, 1],
  [{ status: 429, retryAfter: '1' }, 1],
] as const;

describe('a sender whose clock was ahead', () => {
  it.each(OUTAGES.flatMap((outage) => [1, 168].map((hours) => [...outage, hours] as const)))(
    'does not stop a webhook that it saw answer %j, %d times, %d hours ahead',
    async (answer, failures, hours) => {
      const world = createWebhookWorld();
      const keys = Array.from({ length: failures }, (_, n) => aKey(100 + n));
      for (const key of [...keys, KEY, OTHER]) world.show(key, 1);
      await world.ring(OTHER, 1);
      await world.clock.advance(10 * MINUTE);
      world.answer = () => answer;
      for (const key of keys) await ringAhead(world, key, hours * HOUR);
      world.answer = () => ({ status: 204 });

      expect(await timeUntilAccepted(world, KEY)).toBe(0);
      for (const key of keys) expect(await timeUntilAccepted(world, key)).toBe(0);
    },
  );

  it('does not keep places for retries', async () => {
    const world = worldWith(1, { retriesAtOnce: 1 });
    await world.marks.advance(WEBHOOK, KEY, 0);
    await world.marks.noteFailing(WEBHOOK, KEY, { sequence: 1, reason: 'timeout', at: world.clock.now() });
    const leases = [world.clock.now() + 7 * DAY];
    await world.endpoints.save(WEBHOOK, { ...newEndpoint(world.clock.now()), leases }, 0);

    expect(await timeUntilAccepted(world, KEY)).toBe(0);
  });

  it('leaves the schedule of retries as it is once the clocks are right', async () => {
    const world = worldWith(1);
    world.answer = () => ({ status: 500 });
    await ringAhead(world, KEY, 7 * DAY);

    const paces: unknown[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      const outcome = await world.ring(KEY, 1);
      paces.push(outcome);
      if (!outcome.isDone) await world.clock.advance(outcome.retryInMs * 1_000);
    }

    expect(paces).toMatchObject([
      { retryInMs: 5_000, failingForMs: 0 },
      { retryInMs: 30_000, failingForMs: 5_000 },
      { retryInMs: 120_000, failingForMs: 35_000 },
      { retryInMs: 300_000, failingForMs: 155_000 },
    ]);
  });

  it('lets no event be skipped because of one that it saw accepted', async () => {
    const world = createWebhookWorld();
    const refused = Array.from({ length: 5 }, (_, n) => aKey(100 + n));
    for (const key of [OTHER, ...refused]) world.show(key, 1, 2);
    for (const key of refused) await world.marks.advance(WEBHOOK, key, 0);
    await ringAhead(world, OTHER, 30 * DAY, 2);
    await world.clock.advance(HOUR);
    world.answer = () => ({ status: 422 });

    for (let hours = 0; hours < 48; hours += 1) {
      for (const key of refused) await world.ring(key, 2);
      await world.clock.advance(HOUR);
    }
    world.answer = () => ({ status: 204 });
    for (const key of refused) await world.ring(key, 2);

    for (const key of refused) expect(world.acceptedNumbers(key)).toEqual([1, 2]);
  });

  it('leaves no moments behind: what others save does not contain them', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    world.answer = () => ({ status: 503 });
    await ringAhead(world, OTHER, 7 * DAY);
    world.answer = () => ({ status: 204 });
    const acceptedAt = world.clock.now();
    await world.ring(KEY, 1);

    expect(await world.endpoints.load(WEBHOOK)).toMatchObject({
      ...{ pausedUntil: 0, failures: 0, failingSince: undefined, lastFailureAt: undefined },
      lastAcceptedAt: acceptedAt,
    });
  });
});

it('a sender whose clock is ahead by a day skips no event too early', async () => {
  const world = worldWith(1);
  world.show(OTHER, 1);
  world.answer = ({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? 422 : 204 });
  await world.ring(KEY, 1);
  await world.clock.advance(MINUTE);
  await ringAhead(world, OTHER, DAY);

  expect(await ringAhead(world, KEY, DAY)).toMatchObject({ isDone: false });
  expect(world.shown.has('acme_mi8x2k_feed')).toBe(false);
});

describe('a sender whose clock is minutes from the others', () => {
  it.each([-4, 4])('pauses the endpoint for all: %d minutes', async (minutes) => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    world.answer = () => ({ status: 503, retryAfter: '39600' });
    await ringAhead(world, OTHER, minutes * MINUTE);
    world.answer = () => ({ status: 204 });

    expect(await world.ring(KEY, 1)).toMatchObject({ isDone: false, failingForMs: undefined });
    expect(world.posted).toHaveLength(1);
    await world.clock.advance(11 * HOUR + 5 * MINUTE);
    expect(await timeUntilAccepted(world, KEY)).toBe(0);
  });

  it.each([-4, 4])('keeps two probes at a time: %d minutes', async (minutes) => {
    const world = createWebhookWorld();
    const keys = Array.from({ length: 9 }, (_, n) => aKey(100 + n));
    for (const key of keys) world.show(key, 1);
    world.answer = () => ({ status: 500 });
    for (const key of keys.slice(0, 5)) await ringAhead(world, key, minutes * MINUTE);
    await world.clock.advance(5 * MINUTE);

    world.takesMs = () => 1_000;
    const rung = keys.slice(5).map((key) => world.sender()({ key, sequence: 1 }, 60_000));
    await world.clock.run(Promise.all(rung));

    expect(world.posted).toHaveLength(7);
  });
});

describe('a sender whose clock is behind', () => {
  it('posts, because it takes the clocks of the others for wrong', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    world.answer = () => ({ status: 503, retryAfter: '3600' });
    await world.ring(OTHER, 1);
    world.answer = () => ({ status: 204 });

    expect(await ringAhead(world, KEY, -7 * DAY)).toEqual({ isDone: true });
  });

  it('stops no webhook', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    world.answer = () => ({ status: 503, retryAfter: '60' });
    await ringAhead(world, OTHER, -7 * DAY);
    world.answer = () => ({ status: 204 });

    expect(await timeUntilAccepted(world, KEY)).toBe(0);
  });
});

describe('withoutFutureMoments', () => {
  const NOW = Date.UTC(2026, 10, 23) * 1_000;
  const working = newEndpoint(NOW - DAY);

  it.each([
    [
      'the longest pause, by a clock that is ten minutes ahead',
      { pausedUntil: NOW + 11 * HOUR + 10 * MINUTE },
    ],
    ['moments ten minutes ahead', { lastFailureAt: NOW + 10 * MINUTE, lastAcceptedAt: NOW + 10 * MINUTE }],
    ['a lease', { leases: [NOW + 25 * SECOND] }],
    ['failures of a week', { failures: 9, failingSince: NOW - 7 * DAY, lastFailureAt: NOW }],
  ])('keeps %s', (_, changes) => {
    expect(withoutFutureMoments({ ...working, ...changes }, NOW)).toEqual({ ...working, ...changes });
  });

  it.each([
    ['a longer pause', { pausedUntil: NOW + 11 * HOUR + 10 * MINUTE + SECOND }],
    ['a last accepted event of the future', { lastAcceptedAt: NOW + 11 * MINUTE }],
    ['a lease beyond any attempt', { leases: [NOW + 11 * MINUTE] }],
    [
      'a failure of the future and its pause',
      { lastFailureAt: NOW + HOUR, pausedUntil: NOW + HOUR + SECOND },
    ],
    ['failures since a moment of the future', { failures: 5, failingSince: NOW + HOUR, lastFailureAt: NOW }],
  ])('drops %s', (_, changes) => {
    expect(withoutFutureMoments({ ...working, ...changes }, NOW)).toEqual(working);
  });
});
