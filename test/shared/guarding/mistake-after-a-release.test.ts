import { describe, expect, it } from 'vitest';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import { holdBack, standingHolds } from '../../../shared/guarding/holds.ts';
import { finishLearning } from '../../../shared/guarding/learn-usual-rate.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { DAY, MINUTE } from '../../../shared/instant.ts';
import { aState } from '../../contract/sample-states.ts';
import { NOW } from './guarded-pages.ts';
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

  // The walk over recent groups held the change, and published its release at NOW.
  it.each([
    ['another walk held it by then, so it counts once', -MINUTE, 0],
    ['another change was held later, so it is the second', MINUTE, 3],
  ])(
    'a further release teaches the usual rate only if it is of another change: %s',
    (_name, since, usual) => {
      const { reconciliation } = aState('acme');
      const all = { ...reconciliation.all, compared: 60, ratePerHour: 3 };
      const learned = { learnedAt: NOW, isWhole: true };
      const released = { ratePerHour: 4, learnedAt: NOW };
      const guarding = { ...NO_GUARDING, usual: { ratePerHour: 0, ...learned }, released };
      const suspicion = { guard: 'changed_without_stamps', tier: 'all', suspects: 36 } as const;
      const state = aState('acme', 1, { guarding, reconciliation: { ...reconciliation, all } });
      const release = releaseHold(holdBack(state, suspicion, NOW + since), 1, NOW + 2 * MINUTE);

      const after = release.outcome === 'released' && finishLearning(release.state, 'all', NOW + DAY / 2);

      expect(after).toMatchObject({ guarding: { usual: { ratePerHour: usual } } });
    },
  );
});
