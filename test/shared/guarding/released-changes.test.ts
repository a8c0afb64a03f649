// Changes without a newer stamp after a release: which of them a walk publishes, and how much of the release is left.
import { expect, it } from 'vitest';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { finishLearning } from '../../../shared/guarding/learn-usual-rate.ts';
import { HOUR } from '../../../shared/instant.ts';
import { withCycle } from '../../../shared/source/cycle-state.ts';
import { idsFrom } from '../reading/some-rows.ts';
import { NOW } from './guarded-pages.ts';
import { countRecorded, inAnHour, released, walkRange } from './walked-ranges.ts';

it('a release publishes what was held, in whatever ranges it is found, and no more', async () => {
  const source = inAnHour();
  await walkRange(source, 'all', idsFrom(1, 100), 90);
  released(source, 1);

  await walkRange(source, 'all', idsFrom(1, 50), 45);
  await walkRange(source, 'all', idsFrom(51, 100), 45);
  const ofHold = countRecorded(source.done);
  await walkRange(source, 'all', idsFrom(101, 200), 90);

  expect(ofHold).toBe(90);
  expect(countRecorded(source.done)).toBe(90);
  expect(standingHolds(source.run.source.state)).toMatchObject([{ number: 2, suspects: 90 }]);
});

// Before, more than 20 further groups kept all of it back, and the hold got another number again and again.
it.each([
  ['are published with it if they are usual by themselves', 40, 130, []],
  ['are held with it if they are most of the others', 90, 0, [{ number: 2 }]],
])('changes that a release did not permit %s', async (_name, further, published, holds) => {
  const source = inAnHour();
  await walkRange(source, 'all', idsFrom(1, 100), 90);
  released(source, 1);

  await walkRange(source, 'all', idsFrom(1, 190), 90 + further);

  expect(countRecorded(source.done)).toBe(published);
  expect(standingHolds(source.run.source.state)).toMatchObject(holds);
});

// Before, it published nothing, and was forgotten at the end of its walk.
it('a release publishes what one walk held, although another walk holds more', async () => {
  const source = inAnHour();
  await walkRange(source, 'all', idsFrom(1, 100), 90);
  await walkRange(source, 'recent', idsFrom(1, 50), 45);
  released(source, 2);

  await walkRange(source, 'recent', idsFrom(1, 50), 45);
  const ofRelease = countRecorded(source.done);
  await walkRange(source, 'recent', idsFrom(51, 60), 5);

  expect(ofRelease).toBe(45);
  expect(countRecorded(source.done)).toBe(45);
  expect(standingHolds(source.run.source.state)).toMatchObject([{ number: 1, tier: 'all' }]);
});

it('a release of one walk does not publish what only another walk holds', async () => {
  const source = inAnHour();
  await walkRange(source, 'recent', idsFrom(1, 30), 25);
  await walkRange(source, 'all', idsFrom(101, 1_000), 600);
  released(source, 2);

  await walkRange(source, 'all', [...idsFrom(1, 30), ...idsFrom(101, 1_000)], 625);

  expect(countRecorded(source.done)).toBe(0);
  expect(standingHolds(source.run.source.state)).toMatchObject([
    { number: 1, tier: 'recent' },
    { number: 3, tier: 'all', suspects: 625 },
  ]);
});

it('a release is not used up by usual changes of earlier ranges', async () => {
  const source = inAnHour();
  await walkRange(source, 'all', idsFrom(1, 100), 90);
  released(source, 1);

  for (let range = 1; range < 10; range += 1)
    await walkRange(source, 'all', idsFrom(200 * range + 1, 200 * range + 200), 10);
  await walkRange(source, 'all', idsFrom(1, 100), 90);

  expect(countRecorded(source.done)).toBe(180);
  expect(standingHolds(source.run.source.state)).toEqual([]);
});

it('a release is used up by its changes, although in a wider range they are less than half', async () => {
  const source = inAnHour();
  await walkRange(source, 'all', idsFrom(1, 100), 90);
  released(source, 1);

  await walkRange(source, 'all', idsFrom(1, 200), 90);
  await walkRange(source, 'all', idsFrom(1_001, 1_090), 90);

  expect(countRecorded(source.done)).toBe(90);
  expect(standingHolds(source.run.source.state)).toMatchObject([{ number: 2, suspects: 90 }]);
});

it('a release is learned as the changes of one cycle, however long they were held', async () => {
  const source = inAnHour();
  const { update } = source.run.source;
  await walkRange(source, 'all', idsFrom(1, 100), 60);
  released(source, 1);
  update((state) => withCycle(state, 'all', { ...state.reconciliation.all, unheldSince: NOW - 12 * HOUR }));

  await walkRange(source, 'all', idsFrom(1, 100), 60);
  update((state) => finishLearning(state, 'all', NOW));

  // 60 % in an hour.
  expect(source.run.source.state.guarding.released?.ratePerHour).toBeCloseTo(-Math.log(0.4), 5);
});
