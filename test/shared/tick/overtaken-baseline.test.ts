// A process that another one has overtaken still believes that the baseline runs, which the other one has completed.
import { expect, it } from 'vitest';
import { pollSource } from '../../../shared/poll-source.ts';
import { createSourceWorld } from '../source-world.ts';

/** A lease is over by then, in the time of slots. */
const LATER = 120_000;

// Seed 3812812: the slot of one tick was a year ahead, so the next tick took over at once.
it('records no group silently that was created after the baseline', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 60_000 } });
  const [slow, other] = [world.startProcess('slow'), world.startProcess('other')];
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  world.network.onRequest = async ({ query }) => {
    // The end of the list: it also shows what is created meanwhile.
    if (query.has('min_created_at') && !query.has('max_created_at')) await held;
  };
  const overtaken = pollSource({ slot: world.slot(), durationMs: 50_000 }, slow);
  await world.time.advance(5_000_000);
  world.network.onRequest = undefined;
  await world.tick(other, { slot: world.slot() + LATER });
  const { status } = (await world.state()).baseline;
  const created = world.control.create((draft) => {
    draft.updated_at = 0;
  });

  goOn();
  const report = await world.time.run(overtaken);
  for (let ticks = 0; ticks < 3; ticks += 1) await world.nextTick(other, LATER);

  expect(status).toBe('completed');
  expect(report.outcome).toBe('overtaken');
  const events = await world.groupEvents(created.groupId);
  expect(events.map(({ type }) => type)).toContain('return_group.created');
});
