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
