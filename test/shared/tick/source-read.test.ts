import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../../shared/contract/event.ts';
import { READ_GROUP } from '../../../shared/contract/event-id.ts';
import { formatInstant } from '../../../shared/instant.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

type Report = EventOf<'feed.source_read'>;

async function reportsOf(world: SourceWorld): Promise<Report['data']['object'][]> {
  const entries = await world.ledger.read({ ...(await world.source()), group: READ_GROUP }, 0, 1_000);
  return entries.flatMap((entry) => ('event' in entry ? [(entry.event as Report).data.object] : []));
}

const aWorld = (sourceRead = true) => createSourceWorld({ groups: 5, settings: { sourceRead } });

describe('the feed.source_read of a tick', () => {
  it('has the settled instant of polls, and the instant of the last walk over all groups', async () => {
    const world = aWorld();
    const poller = world.startProcess('poller');
    await world.tick(poller);

    await world.nextTick(poller);

    const { settledThrough, read } = await world.state();
    expect((await reportsOf(world)).at(-1)).toMatchObject({
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

    const reports = await reportsOf(world);
    expect(reports.length).toBeGreaterThanOrEqual(3);
    expect(reports.length).toBeLessThanOrEqual(4);
  });

  it('is published with the same instants while the service can not be read', async () => {
    const world = aWorld();
    const poller = world.startProcess('poller');
    await world.tick(poller);
    await world.nextTick(poller);
    world.control.setKnob('faultKinds', ['500-html']);
    world.control.setKnob('faultRate', 1);

    await world.nextTick(poller);

    const [before, after] = (await reportsOf(world)).slice(-2);
    expect(after?.read_up_to).toBe(before?.read_up_to);
  });

  it('is not published where the settings switch it off', async () => {
    const world = aWorld(false);
    const poller = world.startProcess('poller');
    await world.tick(poller);

    await world.nextTick(poller);

    expect(await reportsOf(world)).toEqual([]);
    expect((await world.state()).read.upTo).toBe((await world.state()).settledThrough);
  });
});
