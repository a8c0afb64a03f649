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

  // Before, the true changes of all these cycles looked like too many for one.
  it('although more groups truly changed in each cycle meanwhile, without stamps', async () => {
    const source = await carrierWorld(36, { knobs: { touches: [] } });
    const turn = [...source.faulty];
    let changes = 0;
    const cycles = async (count: number) => {
      for (let cycle = 0; cycle < count; cycle += 1) {
        for (const id of turn.splice(0, 3)) {
          changes += 1;
          track(source, id, `TRUE-${changes}`);
          turn.push(id);
        }
        await source.ticks(10);
      }
    };
    await cycles(4);
    source.answer('OTHER');
    await cycles(14);
    const held = standingHolds(await source.world.state());

    source.answer(undefined);
    await cycles(6);

    expect(held).toMatchObject([{ guard: 'changed_without_stamps' }]);
    expect(standingHolds(await source.world.state())).toEqual([]);
    expect(await source.published('TRUE')).toHaveLength(36);
    // A sixth of an hour for three of 61 groups.
    expect((await source.world.state()).guarding.usual?.ratePerHour).toBeLessThan(1);
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
