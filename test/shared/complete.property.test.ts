// G1, complete, on any plausible list: once the service stops changing, what is stored and published is what it shows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../shared/instant.ts';
import { runs } from '../property-runs.ts';
import type { ListedGroup, ListKnobs } from './list-service.ts';
import { createListWorld, type ListWorld } from './list-world.ts';

const ORDERS: readonly ((group: ListedGroup) => number)[] = [
  ({ id }) => id,
  ({ createdAt }) => -createdAt,
  ({ updatedAt }) => -updatedAt,
  ({ updatedAt }) => updatedAt,
  ({ id, updatedAt }) => ((id * 7_919 + updatedAt / SECOND) * 104_729) % 1_000_003,
];

const knobs: fc.Arbitrary<Partial<ListKnobs>> = fc.record({
  order: fc.constantFrom(...ORDERS),
  mostRows: fc.constantFrom(10, 17, 50, 200),
  limitRefusedAbove: fc.constantFrom(1_000, 199, 60),
  lowerIncluded: fc.boolean(),
  upperIncluded: fc.boolean(),
  stamps: fc.record({ zoned: fc.boolean(), digits: fc.constantFrom(0, 3, 6) }),
});
/** All groups are recent: where older ones are walked by themselves, that takes twelve hours. */
const APART = fc.constantFrom(SECOND / 10, 20 * SECOND, 12 * HOUR);
const happening = fc.record({
  does: fc.oneof(
    { weight: 6, arbitrary: fc.constant('stamped' as const) },
    { weight: 2, arbitrary: fc.constant('create' as const) },
    ...(['unstamped', 'remove', 'bulk', 'outage', 'failing', 'rows', 'hang'] as const).map((does) => ({
      weight: 1,
      arbitrary: fc.constant(does),
    })),
  ),
  which: fc.nat(1_000),
  afterMs: fc.nat(90_000),
});
const settings = fc.record({
  intervalMs: fc.constantFrom(20_000, 60_000),
  reconcileMs: fc.constantFrom(60_000, 600_000),
  requestsPerMinute: fc.constantFrom(60, 240),
  baseline: fc.constantFrom('silent' as const, 'emit' as const),
});

type Happening = typeof happening extends fc.Arbitrary<infer One> ? One : never;

function happen(world: ListWorld, { does, which }: Happening, count: number): void {
  const { list } = world;
  const ids = [...list.groups.keys()];
  const id = ids[which % ids.length] ?? 0;
  const now = Math.floor(world.now() / SECOND) * SECOND;
  // A list without any known group would be held as another store's.
  if (does === 'remove' && ids.length === 1) return;
  if (does === 'create' || ids.length === 0) list.add(10_000 + count, now);
  else if (does === 'stamped') list.change(id, `S${count}`, now);
  else if (does === 'unstamped') list.change(id, `U${count}`);
  else if (does === 'remove') list.groups.delete(id);
  else if (does === 'bulk') for (const each of ids.slice(0, which % 60)) list.change(each, `B${count}`, now);
  else if (does === 'failing') list.knobs.failing = list.knobs.failing.size > 0 ? new Set() : new Set([id]);
  else if (does === 'hang') list.knobs.failsBy = list.knobs.failsBy === 'hang' ? 'error' : 'hang';
  else if (does === 'rows') list.knobs.mostRows = 10 + (which % 60);
  else list.knobs.isDown = !list.knobs.isDown;
}

/** The status that the events of a group have last published; undefined if it was published as removed or never. */
async function publishedStatus(world: ListWorld, id: number): Promise<unknown> {
  let status: unknown;
  for (const { type, data } of await world.eventsOf(id)) {
    if (type === 'return_group.removed') status = undefined;
    else if ('status' in data.object) status = data.object.status;
  }
  return status;
}

describe('the feed of any plausible list', () => {
  it('is complete once the service stops changing', async () => {
    await fc.assert(
      fc.asyncProperty(
        ...[knobs, settings, fc.nat(80), APART],
        fc.array(happening, { maxLength: 25, size: 'max' }),
        async (changes, chosen, count, apart, happenings) => {
          const world = createListWorld({ knobs: changes, settings: chosen });
          world.addMany(count, apart, world.now() - DAY);
          const session = world.startProcess();
          const statuses = new Map([...world.list.groups].map(([id, { status }]) => [id, status]));
          do await world.nextTick(session, chosen.intervalMs);
          while ((await world.state()).baselineAt === undefined);
          for (const [index, each] of happenings.entries()) {
            happen(world, each, index);
            await world.nextTick(session, each.afterMs);
          }
          world.list.knobs.isDown = false;
          world.list.knobs.failing = new Set();

          const end = world.now() + 45 * MINUTE;
          while (world.now() < end) await world.nextTick(session, chosen.intervalMs);

          const { position, findings, holds, lookUps, setAside } = await world.state();
          // Crowds are not proved by passes that a tick interrupts.
          const places = position.places.filter(({ isLeftOut }) => isLeftOut);
          expect({ places, findings, holds, lookUps, setAside }).toEqual({
            ...{ places: [], findings: [], holds: [], lookUps: [], setAside: [] },
          });
          const recorded = await world.recorded();
          const shown = [...world.list.groups.keys()].sort((a, b) => a - b);
          // Removals in a crowd that a tick has too few requests for may wait.
          if (apart < SECOND) expect(recorded).toEqual(expect.arrayContaining(shown));
          else expect(recorded).toEqual(shown);
          for (const { id, status } of world.list.groups.values()) {
            const isSilent = chosen.baseline === 'silent' && status === statuses.get(id);
            if (!isSilent) expect([id, await publishedStatus(world, id)]).toEqual([id, status]);
          }
        },
      ),
      { numRuns: runs(20) },
    );
  });
});
