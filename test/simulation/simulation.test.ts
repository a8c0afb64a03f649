import { describe, expect, it } from 'vitest';
import { plannedCases } from './coverage.ts';
import { drawPlan } from './draw-plan.ts';
import { abbreviatePlan, completePlan } from './plan.ts';
import { occurrencesIn, simulate } from './simulate.ts';

describe('a simulated run', () => {
  it('repeats exactly, also from its abbreviated plan', async () => {
    const plan = drawPlan(7, 'plausible');
    const abbreviated = completePlan(JSON.parse(JSON.stringify(abbreviatePlan(plan))));

    const first = await simulate(plan);
    const again = await simulate(plan);
    const replayed = await simulate(abbreviated);

    expect([again.hash, replayed.hash]).toEqual([first.hash, first.hash]);
    expect(again.occurrences).toEqual(first.occurrences);
  });

  it('differs for another seed', async () => {
    const first = await simulate(drawPlan(7, 'plausible'));
    const second = await simulate(drawPlan(8, 'plausible'));

    expect(second.hash).not.toBe(first.hash);
  });

  // Thousands more of them: npm run simulate -- --seeds 2000.
  it.each(Array.from({ length: 40 }, (_, index) => index + 1))(
    'breaks no guarantee: seed %i',
    async (seed) => {
      expect((await simulate(drawPlan(seed, 'plausible'))).violations).toEqual([]);
    },
  );

  it.each([1, 2, 3, 4])('breaks no guarantee of a strange service: seed %i', async (seed) => {
    expect((await simulate(drawPlan(seed, 'strange'))).violations).toEqual([]);
  });
});

describe('plans', () => {
  it('draw every knob, fault and mishap in some of a thousand seeds', () => {
    const plans = Array.from({ length: 1_000 }, (_, seed) => drawPlan(seed, 'plausible'));

    const drawn = new Set(plans.flatMap((plan) => [...occurrencesIn(plan)]));

    expect(plannedCases().filter((name) => !drawn.has(name))).toEqual([]);
  });

  it('keep a lookback of at least two settles', () => {
    const plans = Array.from({ length: 200 }, (_, seed) => drawPlan(seed, 'plausible'));

    const broken = plans.filter(({ settings }) => settings.lookbackMs < 2 * settings.settleMs);

    expect(broken).toEqual([]);
  });
});
