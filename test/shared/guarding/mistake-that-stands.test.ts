import { expect, it } from 'vitest';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { carrierWorld, track } from './other-carriers.ts';

// Changes with stamps publish a group as it is shown, so the group no longer differs although the mistake stands.
it('a mistake stays held while its groups, most of the samples among them, get ordinary changes', async () => {
  const source = await carrierWorld(36);
  source.answer('OTHER');
  await source.ticks(12);
  const [hold] = standingHolds(await source.world.state());
  const sampled = hold?.samples.map(({ groupId }) => groupId).slice(0, 6) ?? [];
  const touched = [...sampled, ...source.faulty.filter((id) => !sampled.includes(id))].slice(0, 17);

  for (const id of touched) {
    track(source, id, `T${id}`);
    await source.ticks(1);
  }
  await source.ticks(45);

  const untouched = (await source.published('OTHER')).filter((id) => !touched.includes(id));
  expect(hold).toMatchObject({ guard: 'changed_without_stamps', suspects: 36 });
  expect(untouched).toEqual([]);
  expect(standingHolds(await source.world.state())).toMatchObject([{ suspects: 19 }]);
});

it('a mistake stays held if all samples get ordinary changes between two walks', async () => {
  const source = await carrierWorld(36);
  source.answer('OTHER');
  await source.ticks(12);
  const [hold] = standingHolds(await source.world.state());
  const sampled = hold?.samples.map(({ groupId }) => groupId) ?? [];
  const touched = [...sampled, ...source.faulty.filter((id) => !sampled.includes(id))].slice(0, 17);

  for (const id of touched) track(source, id, `T${id}`);
  await source.ticks(45);

  const untouched = (await source.published('OTHER')).filter((id) => !touched.includes(id));
  expect(sampled).toHaveLength(10);
  expect(untouched).toEqual([]);
  expect(standingHolds(await source.world.state())).toHaveLength(1);
});

// While a hold was judged by the time since it began, its share soon looked usual, and another mistake ended it.
it('a mistake stays held for hours in a store with changes, although it shows other values then', async () => {
  const source = await carrierWorld(36, { knobs: { touches: [] } });
  for (const id of source.faulty.slice(0, 4)) {
    track(source, id, 'TRUE');
    await source.ticks(10);
  }

  for (let hours = 0; hours < 4; hours += 1) {
    source.answer(`OTHER-${hours}`);
    await source.ticks(60);
  }

  expect(await source.published('OTHER')).toEqual([]);
  expect(standingHolds(await source.world.state())).toMatchObject([{ suspects: 36 }]);
});
