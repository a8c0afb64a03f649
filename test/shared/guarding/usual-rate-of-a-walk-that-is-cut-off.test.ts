// What a walk has published counts for the usual rate, although its tick ends before it has looked for missing groups.
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';
import { releaseNow } from './release-now.ts';

const RESET: Answer = { status: 200, headers: {}, body: '', delivery: 'reset', afterMs: 0 };

/** A store whose changes move no stamp. */
async function storeWithoutStamps() {
  const world = createSourceWorld({
    groups: 120,
    knobs: { touches: [] },
    settings: { reconcileMs: 600_000 },
  });
  const session = world.startProcess('a');
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1) await world.nextTick(session);
  };
  await ticks(1);
  while ((await world.state()).baseline.status !== 'completed') await ticks(1);
  const ids = world.oldestFirst();
  const gone = ids.filter((_, index) => index % 12 === 5).slice(0, 7);
  const many = ids.filter((id) => !gone.includes(id)).slice(0, 66);
  const changeMany = () => {
    for (const id of many) world.change(id, undefined);
  };
  return { world, ticks, gone, changeMany };
}

function failLookUps({ network }: SourceWorld, groups: readonly number[]): void {
  const ids = new Set(groups.map(String));
  network.intercept = ({ query }) => (ids.has(query.get('return_group_id') ?? '') ? RESET : undefined);
}

describe('changes of most groups are not held', () => {
  // Before, each tick that was cut off added groups that no longer differed, and the rate was noted only at the end.
  it('after a walk that published as many, although its ticks were cut off again and again', async () => {
    const { world, ticks, gone, changeMany } = await storeWithoutStamps();
    changeMany();
    for (const id of gone) world.control.remove(id);
    failLookUps(world, gone);
    await ticks(20);
    world.network.intercept = undefined;
    await ticks(20);

    changeMany();
    await ticks(12);

    expect(standingHolds(await world.state())).toEqual([]);
  });

  // Before, the released changes were not noted: the cycle no longer counts them, and the next tick finds no more.
  it('after two releases of as many, although a look-up got no answer when each was published', async () => {
    const { world, ticks, gone, changeMany } = await storeWithoutStamps();
    await ticks(25);
    for (const id of gone.slice(0, 2)) {
      changeMany();
      await ticks(14);
      const [hold] = standingHolds(await world.state());
      expect(hold).toMatchObject({ suspects: 66 });
      world.control.remove(id);
      failLookUps(world, [id]);
      await releaseNow(world, hold?.number ?? 0);
      await ticks(1);
      world.network.intercept = undefined;
      await ticks(14);
    }

    changeMany();
    await ticks(14);

    expect(standingHolds(await world.state())).toEqual([]);
  });
});
