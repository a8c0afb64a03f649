import { describe, expect, it } from 'vitest';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';
import { conditions } from './two-stores.ts';

async function ticks(world: SourceWorld, session: SourceSession, count: number) {
  for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
}

/** Groups with a published change of a shipment. */
async function countPublished(world: SourceWorld): Promise<number> {
  const events = (await world.events()).filter(({ type }) => type === 'shipment.updated');
  return new Set(events.map(({ partitionkey }) => partitionkey)).size;
}

function rename(world: SourceWorld, carrier: string, share = 1) {
  const shipped = world.control.snapshot().filter(({ shipments }) => shipments.length > 0);
  for (const { id } of shipped.slice(0, Math.floor(shipped.length * share))) {
    world.control.mutate(Number(id), (draft) => {
      for (const shipment of draft.shipments) shipment.carrier = carrier;
    });
  }
}

describe('changes without newer stamps in a list without order', () => {
  it.each([
    [100, 20],
    [200, 20],
    [300, 20],
    [60, 5],
  ])(
    'are held if most groups have them at once, also if sweeps find them first: %i groups, pages of %i',
    async (groups, limitMax) => {
      const world = createSourceWorld({
        groups,
        settings: { reconcileMs: 120_000 },
        knobs: { touches: [], order: 'random', limitMax },
      });
      const session = world.startProcess('a');
      await world.tick(session);
      await ticks(world, session, 10);

      rename(world, 'Another');
      await ticks(world, session, 8);

      expect(await countPublished(world)).toBe(0);
      expect(await conditions(world)).toEqual(['feed.source_degraded held']);
    },
  );
});
