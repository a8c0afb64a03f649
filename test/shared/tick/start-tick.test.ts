import { describe, expect, it, test } from 'vitest';
import { DAY, HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { pollSource } from '../../../shared/poll-source.ts';
import { createSourceWorld } from '../source-world.ts';

const YEAR = 365 * DAY;

describe('a tick with a clock far ahead', () => {
  it.each([
    ['two hours', 2 * HOUR],
    ['a day', DAY],
    ['a year', YEAR],
  ])('by %s does not stop the ticks after it', async (_, ahead) => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    await world.time.advance(MINUTE);
    await world.tick(session, { slot: world.slot() + ahead / MILLISECOND });
    const group = world.someGroup();
    world.setShipment(group, 'FAILED');

    const report = await world.nextTick(session);

    expect(report).toMatchObject({ outcome: 'done', polls: 1 });
    expect(await world.groupEvents(group)).toHaveLength(1);
    expect((await world.state()).lastSlot).toBeLessThanOrEqual(world.slot());
  });

  it('does not prevent later ticks if another process holds its lease', async () => {
    const world = createSourceWorld();
    const [a, b] = [world.startProcess('a'), world.startProcess('b')];
    await world.tick(a);
    await world.time.advance(MINUTE);
    world.network.onRequest = () => new Promise<void>(() => {});
    void pollSource({ slot: world.slot() + DAY / MILLISECOND, durationMs: 50_000 }, a);
    await world.time.advance(SECOND);
    const { lease } = await world.state();
    world.network.onRequest = undefined;

    const report = await world.nextTick(b);

    expect(lease).toMatchObject({ owner: 'a', expiresAt: expect.any(Number) });
    expect(lease.expiresAt).toBeGreaterThan(world.time.now() + 12 * HOUR);
    expect(report.outcome).toBe('done');
  });

  it('leaves no future time in the source’s health', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    await world.time.advance(MINUTE);
    world.network.intercept = () => ({ ...BROKEN });
    await world.tick(session, { slot: world.slot() + DAY / MILLISECOND });
    const ahead = await world.state();

    await world.nextTick(session);

    const { health } = await world.state();
    expect(ahead.health.degradedSince).toBeGreaterThan(world.time.now());
    expect(health.degradedSince).toBeLessThanOrEqual(world.time.now());
    expect(health.lastSettledAt).toBeLessThanOrEqual(world.time.now());
  });
});

const BROKEN = { status: 503, headers: {}, body: '', delivery: 'whole', afterMs: 0 } as const;

test('late and repeated ticks are dropped, also much later', async () => {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.tick(session);
  await world.nextTick(session, DAY / MILLISECOND);
  const { lastSlot } = await world.state();
  const requestsBefore = world.requests().length;
  const slots = [0, MINUTE, 10 * MINUTE, 2 * HOUR, DAY].map((late) => lastSlot - late / MILLISECOND);

  const outcomes: string[] = [];
  for (const slot of slots) outcomes.push((await world.tick(session, { slot })).outcome);

  expect(new Set(outcomes)).toEqual(new Set(['late']));
  expect(world.requests()).toHaveLength(requestsBefore);
});

test('late and repeated ticks are also dropped after a slot was put back', async () => {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.tick(session, { slot: world.slot() + DAY / MILLISECOND });
  await world.nextTick(session);
  const { lastSlot: slot } = await world.state();

  const doubled = await world.tick(session, { slot });
  const late = await world.tick(session, { slot: slot - 60_000 });

  expect([doubled.outcome, late.outcome]).toEqual(['late', 'late']);
});

test('ticks before a last slot that is a little ahead are dropped', async () => {
  const world = createSourceWorld();
  const session = world.startProcess('a');
  await world.tick(session, { slot: world.slot() + (30 * MINUTE) / MILLISECOND });

  const report = await world.nextTick(session);

  expect(report.outcome).toBe('late');
});
