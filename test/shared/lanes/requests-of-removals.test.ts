// What a removed return costs: its walks, like those before, and a few look-ups.
import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createListWorld, type ListWorld } from '../list-world.ts';

/** The baseline, and the walk after it. */
const WARM_UP_TICKS = 12;
const TICKS_OF_HOUR = 60;
const MOST_TIMES = 1.3;

describe('the hour after a return was removed', () => {
  it.each([1_388, 3_977])(
    'takes at most 1.3 times the requests of the hour before: %i returns',
    async (many) => {
      const world = createListWorld({ knobs: { mostRows: 200 } });
      world.addMany(many, 4 * HOUR);
      const session = world.startProcess();
      await requestsOf(WARM_UP_TICKS, world, session);

      const before = await requestsOf(TICKS_OF_HOUR, world, session);
      // The newest one lies in the last piece of a walk, which is short.
      world.list.groups.delete(many);
      const after = await requestsOf(TICKS_OF_HOUR, world, session);

      const removed = await world.recorded();
      expect(removed).toHaveLength(many - 1);
      expect(after).toBeLessThanOrEqual(MOST_TIMES * before);
    },
  );
});

async function requestsOf(many: number, world: ListWorld, session: SourceSession): Promise<number> {
  const before = world.list.requests.length;
  for (let ticks = 0; ticks < many; ticks += 1) await world.nextTick(session);
  return world.list.requests.length - before;
}
