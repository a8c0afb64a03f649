// A process that another one has overtaken knows nothing of what the other one has completed: the baseline, or a walk
// that read a new field everywhere. A reading that it would record without an event may show a change.
import { expect, it } from 'vitest';
import { pollSource } from '../../../shared/poll-source.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';
import { setRma, withoutRmas } from './rma-numbers.ts';

/** A lease is over by then, in the time of slots. */
const LATER = 120_000;

const isWalk = (query: URLSearchParams) => query.has('max_created_at');
const isEndOfList = (query: URLSearchParams) => query.has('min_created_at') && !isWalk(query);

/** Begins a tick that waits before it sends such a request: the answer also shows what changes meanwhile. */
async function beginHeldTick(
  world: SourceWorld,
  session: SourceSession,
  isHeld: (query: URLSearchParams) => boolean,
) {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  world.network.onRequest = async ({ query }) => {
    if (isHeld(query)) await held;
  };
  const tick = pollSource({ slot: world.slot(), durationMs: 50_000 }, session);
  await world.time.advance(5_000_000);
  world.network.onRequest = undefined;
  return {
    goOn() {
      goOn();
      return world.time.run(tick);
    },
  };
}

// Seed 3812812: the slot of one tick was a year ahead, so the next tick took over at once.
it('records no group silently that was created after the baseline', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 60_000 } });
  const [slow, other] = [world.startProcess('slow'), world.startProcess('other')];
  const overtaken = await beginHeldTick(world, slow, isEndOfList);
  await world.tick(other, { slot: world.slot() + LATER });
  const { status } = (await world.state()).baseline;
  const created = world.control.create((draft) => {
    draft.updated_at = 0;
  });

  const report = await overtaken.goOn();
  for (let ticks = 0; ticks < 3; ticks += 1) await world.nextTick(other, LATER);

  expect(status).toBe('completed');
  expect(report.outcome).toBe('overtaken');
  const events = await world.groupEvents(created.groupId);
  expect(events.map(({ type }) => type)).toContain('return_group.created');
});

// It knew nothing of the walk that had read the new field in all groups, so it filled the field in.
it('records no field silently that a group got after a walk had read the field everywhere', async () => {
  const world = createSourceWorld({
    settings: { reconcileMs: 10_000, settleMs: 3_000 },
    knobs: { touches: [], nulls: 'absent' },
  });
  const [first = 0, last = 0] = withoutRmas(world);
  const [slow, other] = [world.startProcess('slow'), world.startProcess('other')];
  await world.time.advance(3_600_000_000);
  for (let ticks = 0; ticks < 6; ticks += 1) await world.nextTick(slow);
  setRma(world, first, 'A');
  await world.time.advance(12_000_000);
  await world.tick(slow, { durationMs: 2_000 });
  await world.time.advance(12_000_000);
  const overtaken = await beginHeldTick(world, slow, isWalk);
  // All within the time of the held tick.
  for (const ticks of [1, 2, 3]) {
    await world.time.advance(12_000_000);
    await world.tick(other, { slot: world.slot() + ticks * LATER, durationMs: 2_000 });
  }
  const { wholeWalks } = await world.state();
  setRma(world, last, 'B');

  const report = await overtaken.goOn();
  for (let ticks = 0; ticks < 4; ticks += 1) await world.nextTick(other, LATER);

  expect(wholeWalks.length).toBeGreaterThan(0);
  expect(report.outcome).toBe('overtaken');
  expect((await world.groupEvents(first)).map(({ type }) => type)).toEqual([]);
  expect((await world.groupEvents(last)).map(({ type }) => type)).toContain('return_line_item.updated');
});
