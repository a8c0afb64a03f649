import { describe, expect, it } from 'vitest';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { type CarrierWorld, carrierWorld, track } from './other-carriers.ts';

/** Most of the samples, or all. */
const sampledOf = async ({ world }: CarrierWorld, count: number) =>
  standingHolds(await world.state())
    .flatMap(({ samples }) => samples)
    .slice(0, count)
    .map(({ groupId }) => groupId);

describe('a hold ends by itself once the service is right again', () => {
  it('although most of its samples truly changed meanwhile, without stamps', async () => {
    const source = await carrierWorld(36, { knobs: { touches: [] } });
    source.answer('OTHER');
    await source.ticks(12);
    const changed = await sampledOf(source, 6);

    for (const id of changed) track(source, id, 'TRUE');
    source.answer(undefined);
    await source.ticks(40);

    expect(changed).toHaveLength(6);
    expect(standingHolds(await source.world.state())).toEqual([]);
    expect(new Set(await source.published('TRUE'))).toEqual(new Set(changed));
    expect(await source.published('OTHER')).toEqual([]);
  });

  it('although all of its samples got newer stamps meanwhile', async () => {
    const source = await carrierWorld(36);
    source.answer('OTHER');
    await source.ticks(12);
    const changed = await sampledOf(source, 10);

    for (const id of changed) track(source, id, 'TRUE');
    await source.ticks(3);
    source.answer(undefined);
    await source.ticks(60);

    expect(changed).toHaveLength(10);
    expect(standingHolds(await source.world.state())).toEqual([]);
  });
});

// Before, the true changes of all cycles were taught as those of one: as many were usual from then on.
it('after a hold the changes that added up teach the rate of all that time', async () => {
  const source = await carrierWorld(36, { knobs: { touches: [] } });
  source.answer('OTHER');
  for (const id of source.faulty.slice(0, 20)) {
    await source.ticks(10);
    track(source, id, 'TRUE');
  }
  const held = standingHolds(await source.world.state());

  source.answer(undefined);
  await source.ticks(40);

  expect(held).toHaveLength(1);
  expect(standingHolds(await source.world.state())).toEqual([]);
  expect(await source.published('TRUE')).toHaveLength(20);
  // A third of 61 groups in more than three hours.
  expect((await source.world.state()).guarding.usual?.ratePerHour).toBeLessThan(0.2);
});
