// Changes that a walk has published count for the usual rate, even if its tick ends early or look-ups show more groups.
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';
import { everyTenthOpen } from '../tick/crowded-world.ts';
import { NO_ANSWER, openWalks } from '../tick/slow-world.ts';
import { releaseNow } from './release-now.ts';

const RESET: Answer = { status: 200, headers: {}, body: '', delivery: 'reset', afterMs: 0 };

/** A store whose changes move no stamp. */
async function storeWithoutStamps(groups = 120) {
  const world = createSourceWorld({
    groups,
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

function hideFromLists({ network, reference }: SourceWorld, groups: readonly number[]): void {
  const hidden = new Set<unknown>(groups);
  network.intercept = (request) => {
    const answer = reference.service.answer(request);
    if (answer.status !== 200 || request.query.has('return_group_id')) return answer;
    const rows = JSON.parse(answer.body) as { id: unknown }[];
    return { ...answer, body: JSON.stringify(rows.filter(({ id }) => !hidden.has(id))) };
  };
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

  // Before, only what the list itself had shown counted.
  it('after walks that found as many by look-ups, because lists lack some groups', async () => {
    const { world, ticks } = await storeWithoutStamps(21);
    const ids = world.oldestFirst();
    hideFromLists(world, ids.filter((_, index) => index % 2 === 1).slice(0, 2));

    for (let walk = 0; walk < 4; walk += 1) {
      for (const id of ids) world.change(id, undefined);
      await ticks(14);
      expect(standingHolds(await world.state())).toEqual([]);
    }
  });

  // Before, the look-up made it more than half, of so few groups that they say nothing, and that was noted alone.
  it('after a list that showed half of a small store, and a look-up that showed one group more', async () => {
    const { world, ticks } = await storeWithoutStamps(22);
    const ids = world.oldestFirst();
    const [hidden = 0] = ids.slice(9);
    hideFromLists(world, [hidden]);
    await ticks(25);
    for (const id of [...ids.filter((id) => id !== hidden).slice(0, 11), hidden]) world.change(id, undefined);
    await ticks(14);

    for (const id of ids) world.change(id, undefined);
    await ticks(14);

    expect(standingHolds(await world.state())).toEqual([]);
  });

  // Before, the next tick noted 0, because it found nothing more.
  it('after a walk over open groups that published half as many, and was then cut off by a look-up', async () => {
    const { world, session, open } = await everyTenthOpen(42, 'one by one');
    const [removed = 0, unanswered = 0] = open.slice(-2);
    await openWalks(world, session, 3);
    world.control.remove(removed);
    world.network.intercept = ({ query }) =>
      query.get('return_group_id') === String(unanswered) ? NO_ANSWER : undefined;
    for (const id of open.slice(0, 18)) world.change(id, undefined);
    await openWalks(world, session, 2);

    for (const id of open.slice(0, 40)) world.change(id, undefined);
    await openWalks(world, session, 3);

    expect(standingHolds(await world.state())).toEqual([]);
  });
});
