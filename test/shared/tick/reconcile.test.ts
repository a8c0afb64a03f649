import { describe, expect, it } from 'vitest';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

async function ticks(world: SourceWorld, session: ReturnType<SourceWorld['startProcess']>, count: number) {
  for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
}

describe('reconciliation', () => {
  it('publishes a change without a newer stamp, once', async () => {
    const world = createSourceWorld({ knobs: { touches: [] } });
    const session = world.startProcess('a');
    await world.tick(session);
    const group = world.someGroup();
    world.setShipment(group, 'FAILED');

    await ticks(world, session, 8);
    const before = await world.groupEvents(group);
    await ticks(world, session, 4);

    expect(before).toEqual([]);
    expect(await world.groupEvents(group)).toMatchObject([
      { type: 'shipment.status_changed', data: { observed: { through: 'reconciliation' } } },
    ]);
  });

  it('makes polls read on after a short page once it has seen only short pages', async () => {
    const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    world.control.setKnob('limitMax', 5);
    await ticks(world, session, 4);
    const changed = world.control
      .snapshot()
      .filter(({ shipments }) => shipments.length > 0)
      .slice(0, 12)
      .map(({ id }) => Number(id));
    await world.time.advance(30_000_000);
    for (const id of changed) world.setShipment(id, 'FAILED');

    await world.nextTick(session, 30_000);

    const histories = await Promise.all(changed.map((id) => world.groupEvents(id)));
    const through = histories.map((events) => events.at(-1)?.data.observed.through);
    expect(through).toEqual(changed.map(() => 'poll'));
  });

  it.each([
    { requestsPerMinute: 12, warnings: 1 },
    { requestsPerMinute: 240, warnings: 0 },
  ])('logs $warnings times that its cycle is longer than set, at $requestsPerMinute a minute', async (at) => {
    const { requestsPerMinute } = at;
    const world = createSourceWorld({
      settings: { reconcileMs: 60_000, requestsPerMinute },
      knobs: { limitMax: 10 },
    });
    const session = world.startProcess('a');

    await ticks(world, session, 20);

    const warnings = world.logged.filter(({ message }) => message.includes('instead of 60 s'));
    expect(warnings).toHaveLength(at.warnings);
  });
});
