import { describe, expect, it } from 'vitest';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { type CarrierWorld, carrierWorld } from './other-carriers.ts';
import { releaseNow } from './release-now.ts';

/** A source whose mistake was held and released. */
async function released(): Promise<CarrierWorld> {
  const source = await carrierWorld(36);
  source.answer('FIRST');
  await source.ticks(15);
  const [hold] = standingHolds(await source.world.state());
  await releaseNow(source.world, hold?.number ?? 0);
  return source;
}

describe('after a release', () => {
  it.each([
    ['minutes', 5],
    ['a day', 24 * 60],
  ])('another mistake of the same groups, %s later, is held', async (_name, wait) => {
    const source = await released();
    await source.ticks(wait);

    source.answer('SECOND');
    await source.ticks(25);

    expect(await source.published('FIRST')).toHaveLength(36);
    expect(await source.published('SECOND')).toEqual([]);
    expect(standingHolds(await source.world.state())).toMatchObject([{ suspects: 36 }]);
  });

  it('the second release within a day makes such a rate usual, so that a busy store is not held for ever', async () => {
    const source = await released();
    await source.ticks(5);

    source.answer('SECOND');
    await source.ticks(15);
    const [hold] = standingHolds(await source.world.state());
    await releaseNow(source.world, hold?.number ?? 0);
    await source.ticks(15);
    source.answer('THIRD');
    await source.ticks(15);

    expect(hold).toMatchObject({ suspects: 36 });
    expect(await source.published('SECOND')).toHaveLength(36);
    expect(await source.published('THIRD')).toHaveLength(36);
  });
});
