// Changes without a newer stamp in a walk: a walk publishes those of a usual page before it has read the whole range.
import { describe, expect, it } from 'vitest';
import type { Compared } from '../../../shared/comparing/compare-reading.ts';
import { createWalkGuard } from '../../../shared/guarding/guard-walk.ts';
import { type Hold, NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import { beginCycleOfHolds, endCycleOfHolds, standingHolds } from '../../../shared/guarding/holds.ts';
import { finishLearning } from '../../../shared/guarding/learn-usual-rate.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { newCycle, type Tier, withCycle } from '../../../shared/source/cycle-state.ts';
import { aState } from '../../contract/sample-states.ts';
import { idsFrom } from '../reading/some-rows.ts';
import { compared, guardedSource, NOW, pass } from './guarded-pages.ts';

const NOTHING = { compared: 0, unstamped: 0 };

function walking(changes?: Parameters<typeof guardedSource>[0]) {
  const source = guardedSource(changes);
  return { ...source, guard: createWalkGuard(source.run, 'all', undefined) };
}

/** A cycle that had an hour's changes to find. */
function inAnHour() {
  const { reconciliation } = aState('acme');
  const all = {
    ...reconciliation.all,
    previousStartedAt: NOW - HOUR,
    compared: 0,
    unstamped: 0,
    ratePerHour: 0,
  };
  return guardedSource({ reconciliation: { ...reconciliation, all } });
}

async function walkRange(
  { run, recorder }: ReturnType<typeof inAnHour>,
  tier: Tier,
  groups: readonly number[],
  changed: number,
): Promise<void> {
  const guard = createWalkGuard(run, tier, undefined);
  pass(guard, groups, changed);
  await guard.concludePage(recorder);
  await guard.conclude(recorder);
  guard.learn();
}

const countRecorded = (done: readonly string[]) =>
  done.flatMap((each) => (each.startsWith('recorded') ? each.split(' ').slice(1).filter(Boolean) : []))
    .length;

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

// The share of the rest was no longer improbable, so the next walk ended the hold, and the one after it published the rest.
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

it('a release publishes what was held, in whatever ranges it is found, and no more', async () => {
  const source = inAnHour();
  const { update } = source.run.source;
  await walkRange(source, 'all', idsFrom(1, 100), 90);
  update((state) => {
    const release = releaseHold(state, 1, NOW);
    return release.outcome === 'released' ? release.state : state;
  });

  await walkRange(source, 'all', idsFrom(1, 50), 45);
  await walkRange(source, 'all', idsFrom(51, 100), 45);
  const ofHold = countRecorded(source.done);
  await walkRange(source, 'all', idsFrom(101, 200), 90);

  expect(ofHold).toBe(90);
  expect(countRecorded(source.done)).toBe(90);
  expect(standingHolds(source.run.source.state)).toMatchObject([{ number: 2, suspects: 90 }]);
});

/** The source after the operator released a hold. */
function released({ run }: ReturnType<typeof inAnHour>, number: number): void {
  run.source.update((state) => {
    const release = releaseHold(state, number, NOW);
    if (release.outcome !== 'released') throw new Error(release.outcome);
    return release.state;
  });
}

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

describe('a page of a walk', () => {
  it('that differs no more than usual is published at once, after the state was saved', async () => {
    const { guard, recorder, done } = walking();

    const admitted = pass(guard, idsFrom(1, 8), 2);
    await guard.concludePage(recorder);
    await guard.conclude(recorder);

    expect(admitted).toBe(6);
    expect(done.slice(0, 2)).toEqual(['state saved', 'recorded 1 2']);
    expect(done.filter((each) => each.startsWith('recorded 1'))).toHaveLength(1);
  });

  it('that differs more waits for the end of its range, and is published if few groups of the range differ', async () => {
    const { guard, recorder, done } = walking();

    pass(guard, idsFrom(1, 8), 3);
    await guard.concludePage(recorder);
    const atOnce = [...done];
    pass(guard, idsFrom(9, 100), 0);
    await guard.conclude(recorder);

    expect(atOnce).toEqual([]);
    expect(done).toEqual(['state saved', 'recorded 1 2 3']);
  });

  it('also waits if the pages of its range together differ more than usual', async () => {
    const { guard, recorder, done } = walking();

    pass(guard, idsFrom(1, 100), 90);
    await guard.concludePage(recorder);
    pass(guard, idsFrom(101, 200), 10);
    await guard.concludePage(recorder);

    expect(done).toEqual([]);
  });

  it('does not publish the changes of an earlier unusual page', async () => {
    const { guard, recorder, done } = walking();

    pass(guard, idsFrom(1, 4), 2);
    await guard.concludePage(recorder);
    pass(guard, idsFrom(5, 104), 1);
    await guard.concludePage(recorder);

    expect(done).toEqual(['state saved', 'recorded 5']);
  });

  it('that is read again is judged by its own groups again', async () => {
    const { guard, recorder, done } = walking();

    pass(guard, idsFrom(101, 300), 0);
    await guard.concludePage(recorder);
    for (const _reading of ['first', 'second']) {
      pass(guard, idsFrom(1, 10), 9);
      await guard.concludePage(recorder);
    }

    expect(done).toEqual([]);
  });

  it('is not published while there is a hold, nor if most of the store differs', async () => {
    const hold = { guard: 'changed_without_stamps', tier: 'all', number: 1, suspects: 30, met: 30 };
    const { guarding } = aState('acme');
    const { run } = guardedSource();
    const held = walking({
      guarding: { ...run.source.state.guarding, holds: [{ ...guarding.holds[0], ...hold } as Hold] },
    });
    const faulty = walking();

    pass(held.guard, idsFrom(1, 8), 1);
    await held.guard.concludePage(held.recorder);
    for (const page of [0, 1, 2]) {
      pass(faulty.guard, idsFrom(10 * page + 1, 10 * page + 10), 9);
      await faulty.guard.concludePage(faulty.recorder);
    }
    await faulty.guard.conclude(faulty.recorder);

    expect([...held.done, ...faulty.done].filter((each) => each.startsWith('recorded'))).toEqual([]);
    expect(faulty.run.source.state.guarding.holds).toMatchObject([{ guard: hold.guard, since: NOW }]);
  });

  it('counts for the usual rate although its changes did not wait', async () => {
    const { guard, recorder, run } = walking();

    pass(guard, idsFrom(1, 100), 20);
    await guard.concludePage(recorder);
    await guard.conclude(recorder);
    guard.learn();

    const whileWalking = run.source.state.guarding.usual?.ratePerHour;
    run.source.update((state) => finishLearning(state, 'all', NOW));

    expect(whileWalking).toBe(0);
    expect(run.source.state.guarding.usual?.ratePerHour).toBeGreaterThan(0);
  });
});

// Seed 606827: the service sent different states and empty pages, and the feed published 18 of 19 groups.
describe('a few groups, most of them changed,', () => {
  it.each([
    ['are published once their range was covered', { isCovered: true }, 18, 1],
    ['are left to the next walk if their range was not covered', { isCovered: false }, 18, 0],
    ['are published without a covered range if fewer than half changed', { isCovered: false }, 9, 1],
  ])('%s', async (_, range, changed, published) => {
    const { run, guard, recorder, done } = walking();
    const { unstamped: before } = run.source.state.reconciliation.all;
    pass(guard, idsFrom(1, 19), changed);
    await guard.concludePage(recorder);

    await guard.conclude(recorder, range);

    expect(done.filter((what) => what.startsWith('recorded'))).toHaveLength(published);
    expect(run.source.state.reconciliation.all.unstamped - before).toBe(published * changed);
  });
});
