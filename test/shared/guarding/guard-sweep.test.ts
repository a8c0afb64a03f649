import { describe, expect, it } from 'vitest';
import { createSweepGuard } from '../../../shared/guarding/guard-sweep.ts';
import { type Hold, NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import { finishLearning } from '../../../shared/guarding/learn-usual-rate.ts';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { aState } from '../../contract/sample-states.ts';
import { idsFrom } from '../reading/some-rows.ts';
import { guardedSource, NOW, pass } from './guarded-pages.ts';

function sweeping(changes?: Parameters<typeof guardedSource>[0], since = NOW - HOUR, unheldSince = since) {
  const source = guardedSource(changes);
  return { ...source, guard: createSweepGuard(source.run, { since, unheldSince }) };
}

describe('a page of a sweep', () => {
  it('that differs no more than usual is published, after the state was saved', async () => {
    const { guard, recorder, done } = sweeping();

    const admitted = pass(guard, idsFrom(1, 8), 2);
    await guard.concludePage(recorder);

    expect(admitted).toBe(6);
    expect(done).toEqual(['state saved', 'recorded 1 2']);
  });

  // Judged by all the time of a hold, a mistake that came back was usual.
  it('that differs more than usual since the last sweep is dropped, also if there was a hold before', async () => {
    const usual = { ratePerHour: 0.1, learnedAt: NOW, isWhole: true };
    const { guard, recorder, done } = sweeping(
      { guarding: { ...NO_GUARDING, usual } },
      NOW - HOUR,
      NOW - 10 * HOUR,
    );

    pass(guard, idsFrom(1, 8), 8);
    await guard.concludePage(recorder);

    expect(done).toEqual([]);
  });

  it('that differs more is dropped, and is not published with a later page', async () => {
    const { guard, recorder, done } = sweeping();

    pass(guard, idsFrom(1, 8), 3);
    await guard.concludePage(recorder);
    pass(guard, idsFrom(9, 108), 1);
    await guard.concludePage(recorder);

    expect(done).toEqual(['state saved', 'recorded 9']);
  });

  it('is compared with the groups in the memory of the process', async () => {
    const { guard, recorder, done } = sweeping();

    pass(guard, [1], 1);
    for (const id of idsFrom(2, 8)) guard.noteUnchanged(id);
    await guard.concludePage(recorder);

    expect(done).toEqual(['state saved', 'recorded 1']);
  });

  it('is not published while changes without newer stamps are held', async () => {
    const { guarding } = aState('acme');
    const hold = { ...guarding.holds[0], guard: 'changed_without_stamps', tier: 'recent' } as Hold;
    const { run } = guardedSource();
    const { guard, recorder, done } = sweeping({ guarding: { ...run.source.state.guarding, holds: [hold] } });

    pass(guard, idsFrom(1, 8), 1);
    await guard.concludePage(recorder);

    expect(done).toEqual([]);
  });
});

/** The rate learned from a sweep of a hundred groups, of which `changed` changed. */
async function rateLearned(changed: number, since: number, unheldSince = since): Promise<number> {
  const { guard, run, recorder } = sweeping(undefined, since, unheldSince);
  pass(guard, idsFrom(1, 100), changed);
  await guard.concludePage(recorder);
  guard.learn();
  return run.source.state.reconciliation.all.ratePerHour;
}

describe('the rate that a sweep has shown', () => {
  it('follows from the changed groups and the time since the previous sweep', async () => {
    const [anHour, twoHours] = await Promise.all(
      [NOW - HOUR, NOW - 2 * HOUR].map((since) => rateLearned(20, since)),
    );

    expect(anHour).toBeCloseTo(-Math.log(0.8), 2);
    expect(twoHours).toBeCloseTo(-Math.log(0.8) / 2, 2);
  });

  // Before, a change found a second after the last sweep made a change of most groups in a minute usual.
  it('follows from one interval at least', async () => {
    const [aSecond, anInterval] = await Promise.all(
      [NOW - SECOND, NOW - MINUTE].map((since) => rateLearned(20, since)),
    );

    expect(aSecond).toBe(anInterval);
  });

  it('follows from the time since the last sweep without a hold, because held changes add up', async () => {
    const [tenHours, withAHold] = await Promise.all([
      rateLearned(20, NOW - 10 * HOUR),
      rateLearned(20, NOW - HOUR, NOW - 10 * HOUR),
    ]);

    expect(withAHold).toBe(tenHours);
  });

  it('does not count the changes that the sweep left to the walk', async () => {
    expect(await rateLearned(60, NOW - HOUR)).toBeLessThan(0.2);
  });

  it('is usual once the walk has ended: then sweeps publish changes of more than half of a page as well', async () => {
    const { guard, run, recorder, done } = sweeping();
    pass(guard, idsFrom(1, 100), 20);
    await guard.concludePage(recorder);
    guard.learn();
    const sweepAgain = async (changed: number) => {
      const next = createSweepGuard(run, { since: NOW - HOUR, unheldSince: NOW - HOUR });
      pass(next, idsFrom(1, 100), changed);
      await next.concludePage(recorder);
      return done.length;
    };

    const duringTheWalk = [await sweepAgain(60), await sweepAgain(40)];
    run.source.update((state) => finishLearning(state, 'all', NOW));
    const afterTheWalk = await sweepAgain(60);

    expect([...duringTheWalk, afterTheWalk]).toEqual([2, 4, 6]);
  });
});
