// Changes without a newer stamp in the ranges of a walk: what is held, and what becomes usual.
import { expect, it } from 'vitest';
import type { Compared } from '../../../shared/comparing/compare-reading.ts';
import { createWalkGuard } from '../../../shared/guarding/guard-walk.ts';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import { beginCycleOfHolds, endCycleOfHolds, standingHolds } from '../../../shared/guarding/holds.ts';
import { finishLearning } from '../../../shared/guarding/learn-usual-rate.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { newCycle, withCycle } from '../../../shared/source/cycle-state.ts';
import { aState } from '../../contract/sample-states.ts';
import { idsFrom } from '../reading/some-rows.ts';
import { compared, guardedSource, NOW } from './guarded-pages.ts';
import { countRecorded, inAnHour, walkRange } from './walked-ranges.ts';

const NOTHING = { compared: 0, unstamped: 0 };

// The rate of the first range counted as usual at once, so the guard published the rest of the fault.
it.each([5, 30])(
  'a walk holds a fault whose first range shows it in %s of a hundred groups',
  async (first) => {
    const source = inAnHour();

    await walkRange(source, 'all', idsFrom(1, 100), first);
    await walkRange(source, 'all', idsFrom(1_000, 1_799), 800);

    expect(source.run.source.state.guarding.holds).toHaveLength(1);
    expect(countRecorded(source.done)).toBe(first);
  },
);

// Each walk knew its own holds alone.
it('changes that one walk holds are not published by another', async () => {
  const source = inAnHour();

  await walkRange(source, 'all', idsFrom(1, 100), 90);
  await walkRange(source, 'recent', idsFrom(200, 299), 5);

  expect(source.run.source.state.guarding.holds).toMatchObject([{ tier: 'all' }]);
  expect(countRecorded(source.done)).toBe(0);
});

// The share of the rest was no longer improbable, so the next walk ended the hold, and the one after it published the
// rest.
it('the rest of a fault stays held if its first twenty groups were published', async () => {
  const source = inAnHour();
  const { update } = source.run.source;
  const endWalk = () => {
    update((state) =>
      beginCycleOfHolds(endCycleOfHolds(finishLearning(state, 'all', NOW), 'all'), 'all', true),
    );
    update((state) => withCycle(state, 'all', { ...state.reconciliation.all, ...NOTHING }));
  };

  await walkRange(source, 'all', idsFrom(1, 22), 20);
  await walkRange(source, 'all', idsFrom(101, 122), 18);
  const publishedFirst = countRecorded(source.done);
  for (const _walk of [2, 3, 4]) {
    endWalk();
    await walkRange(source, 'all', idsFrom(1, 22), 0);
    await walkRange(source, 'all', idsFrom(101, 122), 18);
  }

  expect(publishedFirst).toBe(20);
  expect(countRecorded(source.done)).toBe(20);
  endWalk();
  await walkRange(source, 'all', [...idsFrom(1, 22), ...idsFrom(101, 122)], 1);
  endWalk();
  expect(source.run.source.state.guarding.holds).toEqual([]);
});

it('a walk that held changes teaches no usual rate', async () => {
  const source = inAnHour();

  await walkRange(source, 'all', idsFrom(1, 100), 30);
  await walkRange(source, 'all', idsFrom(1_000, 1_799), 800);
  source.run.source.update((state) => finishLearning(state, 'all', NOW));

  expect(source.run.source.state.guarding.usual?.ratePerHour).toBe(0);
  expect(source.run.source.state.reconciliation.all.ratePerHour).toBe(0);
});

// Seed 2507792: in the walk before they settle, changes make no events yet.
it('a fault that has not settled yet teaches no usual rate', async () => {
  const source = inAnHour();
  const guard = createWalkGuard(source.run, 'all', undefined);
  for (const [index, id] of idsFrom(1, 100).entries()) {
    const each = compared(id, index < 90);
    const left: Compared = { verdict: 'left' };
    guard.admits(index < 90 ? { ...each, compared: left } : each);
  }
  await guard.conclude(source.recorder);
  source.run.source.update((state) => finishLearning(state, 'all', NOW));

  await walkRange(source, 'all', idsFrom(1, 100), 90);

  expect(source.run.source.state.guarding.usual?.ratePerHour).toBe(0);
  expect(countRecorded(source.done)).toBe(0);
});

// Seed 2509350: a clock was set, so a walk began three seconds after the last one.
it('a change that a walk finds seconds after the last one does not make a fault usual', async () => {
  const source = inAnHour();
  const { update } = source.run.source;
  const beginAfter = (time: number) =>
    update((state) =>
      withCycle(state, 'all', { ...state.reconciliation.all, ...NOTHING, previousStartedAt: NOW - time }),
    );

  beginAfter(3 * SECOND);
  await walkRange(source, 'all', idsFrom(1, 50), 1);
  update((state) => finishLearning(state, 'all', NOW));
  beginAfter(2 * MINUTE);
  await walkRange(source, 'all', idsFrom(1, 50), 45);

  expect(source.run.source.state.guarding.holds).toHaveLength(1);
  expect(countRecorded(source.done)).toBe(1);
});

// Before, the time since the baseline counted: almost any share of changes was usual in months.
it.each(['recent', 'open'] as const)(
  'the first walk over %s groups is judged by the time since the last walk over all groups',
  async (tier) => {
    const { reconciliation, baseline } = aState('acme');
    const all = { ...reconciliation.all, previousStartedAt: NOW - HOUR };
    const usual = { ratePerHour: 0.001, learnedAt: NOW, isWhole: true };
    const source = guardedSource({
      baseline: { ...baseline, startedAt: NOW - 100 * DAY },
      reconciliation: { ...reconciliation, [tier]: newCycle(NOW), all },
      guarding: { ...NO_GUARDING, usual },
    });

    await walkRange(source, tier, idsFrom(1, 100), 90);

    expect(countRecorded(source.done)).toBe(0);
    expect(standingHolds(source.run.source.state)).toMatchObject([{ tier, suspects: 90 }]);
  },
);
