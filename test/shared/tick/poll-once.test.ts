import { expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

it('reads more changes than fit in a tick, range by range, and publishes each change once', async () => {
  const world = createSourceWorld({
    groups: 120,
    knobs: { limitMax: 10 },
    settings: { requestsPerMinute: 24, settleMs: 1_000 },
  });
  const session = world.startProcess('a');
  await world.tick(session);
  for (let tick = 0; tick < 60; tick += 1) {
    const report = await world.nextTick(session);
    if (report.state?.baseline.status === 'completed') break;
  }
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  for (const id of ids) {
    await world.time.advance(60_000_000);
    world.change(id);
  }
  const settled: number[] = [];
  const widths: number[] = [];

  let ticks = 0;
  for (let isComplete = false; !isComplete && ticks < 60; ticks += 1) {
    const { state } = await world.nextTick(session);
    settled.push(state?.settledThrough ?? 0);
    widths.push(state?.pollWidth ?? 0);
    isComplete = (state?.settledThrough ?? 0) > world.time.now() - 7 * 60_000_000;
  }

  const events = (await world.events()).filter(({ type }) => type === 'return_group.updated');
  expect(ticks).toBeGreaterThan(1);
  expect(ticks).toBeLessThan(60);
  expect(Math.min(...widths)).toBeLessThan(widths[0] ?? 0);
  expect(settled).toEqual([...settled].sort((a, b) => a - b));
  expect(events.length).toBe(ids.length);
});
