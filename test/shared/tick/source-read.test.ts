import { describe, expect, it } from 'vitest';
import { formatInstant } from '../../../shared/instant.ts';
import { readReportsOf } from '../read-reports.ts';
import { createSourceWorld } from '../source-world.ts';

const aWorld = (sourceRead = true) => createSourceWorld({ groups: 5, settings: { sourceRead } });

describe('the feed.source_read of a tick', () => {
  it('has the settled instant of polls, and the instant of the last walk over all groups', async () => {
    const world = aWorld();
    const poller = world.startProcess('poller');
    await world.tick(poller);

    await world.nextTick(poller);

    const { settledThrough, read } = await world.state();
    expect((await readReportsOf(world)).at(-1)).toMatchObject({
      name: 'acme',
      read_up_to: formatInstant(settledThrough),
      reconciled_through: formatInstant(read.reconciledThrough ?? 0),
      held: 0,
      set_aside: 0,
    });
  });

  it('is published once in a minute, also if several processes tick', async () => {
    const world = aWorld();
    const pollers = [world.startProcess('one'), world.startProcess('two')];

    for (let tick = 0; tick < 12; tick += 1) {
      const poller = pollers[tick % 2];
      if (poller !== undefined) await world.nextTick(poller, 15_000);
    }

    const reports = await readReportsOf(world);
    expect(reports.length).toBeGreaterThanOrEqual(3);
    expect(reports.length).toBeLessThanOrEqual(4);
  });

  it('is published with the same instants while the service can’t be read', async () => {
    const world = aWorld();
    const poller = world.startProcess('poller');
    await world.tick(poller);
    await world.nextTick(poller);
    world.control.setKnob('faultKinds', ['500-html']);
    world.control.setKnob('faultRate', 1);

    await world.nextTick(poller);

    const [before, after] = (await readReportsOf(world)).slice(-2);
    expect(after?.read_up_to).toBe(before?.read_up_to);
  });

  it('is not published where the settings switch it off', async () => {
    const world = aWorld(false);
    const poller = world.startProcess('poller');
    await world.tick(poller);

    await world.nextTick(poller);

    expect(await readReportsOf(world)).toEqual([]);
    expect((await world.state()).read.upTo).toBe((await world.state()).settledThrough);
  });
});
