// Changes without a newer stamp in a walk: a walk publishes those of a usual page before it has read the whole range.
import { describe, expect, it } from 'vitest';
import { createWalkGuard } from '../../../shared/guarding/guard-walk.ts';
import type { Hold } from '../../../shared/guarding/guarding-state.ts';
import { finishLearning } from '../../../shared/guarding/learn-usual-rate.ts';
import { aState } from '../../contract/sample-states.ts';
import { idsFrom } from '../reading/some-rows.ts';
import { guardedSource, NOW, pass } from './guarded-pages.ts';

function walking(changes?: Parameters<typeof guardedSource>[0]) {
  const source = guardedSource(changes);
  return { ...source, guard: createWalkGuard(source.run, 'all', undefined) };
}

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
