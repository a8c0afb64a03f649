// An operator who sees that changes show later than the lookback raises it.
import { expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const HOUR_MS = 3_600_000;
const RAISED = { lookbackMs: 600_000 };

/** A source whose polls have a lookback of a minute, and no walk for an hour. */
async function settledWorld() {
  const world = createSourceWorld({
    groups: 300,
    settings: { reconcileMs: HOUR_MS, lookbackMs: 60_000 },
  });
  const session = world.startProcess('before');
  await world.tick(session);
  for (let tick = 0; tick < 10; tick += 1) {
    world.control.create();
    await world.nextTick(session);
  }
  return { world, session };
}

function raise(world: SourceWorld, owner: string) {
  return world.startProcess(owner, { settings: { ...world.settings, ...RAISED } });
}

it('a change that shows within the raised lookback is published by the next poll', async () => {
  const { world, session } = await settledWorld();
  const group = world.someGroup();
  world.control.setKnob('lateSeconds', { least: 270, most: 270 });
  world.setShipment(group, 'FAILED');
  for (let tick = 0; tick < 4; tick += 1) await world.nextTick(session);
  const unseen = await world.groupEvents(group);

  await world.nextTick(raise(world, 'after'));

  expect(unseen).toEqual([]);
  expect(await world.groupEvents(group)).toHaveLength(1);
});

it('the settled instant goes back by the difference, once, and `read_up_to` stands still', async () => {
  const { world } = await settledWorld();
  const before = await world.state();
  world.network.intercept = () => ({ status: 503, headers: {}, body: '', delivery: 'whole', afterMs: 0 });

  await world.nextTick(raise(world, 'first'));
  await world.nextTick(raise(world, 'second'));

  const after = await world.state();
  expect(after.settledThrough).toBe(before.settledThrough - 9 * MINUTE);
  expect(after.read.upTo).toBe(before.read.upTo);
});

it('a lowered lookback leaves the settled instant where it is', async () => {
  const { world } = await settledWorld();
  const before = await world.state();
  world.network.intercept = () => ({ status: 503, headers: {}, body: '', delivery: 'whole', afterMs: 0 });

  const lowered = { ...world.settings, lookbackMs: world.settings.lookbackMs - 30_000 };
  await world.nextTick(world.startProcess('after', { settings: lowered }));

  expect((await world.state()).settledThrough).toBe(before.settledThrough);
});
