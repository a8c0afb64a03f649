import { describe, expect, it } from 'vitest';
import { abbreviatePlan, completePlan } from './plan.ts';
import { makePlan } from './profiles.ts';
import { simulate } from './simulate.ts';

describe('a simulated run', () => {
  it('is the same each time, also from its plan as it is told', async () => {
    const plan = makePlan(7, 'everything');
    const told = completePlan(JSON.parse(JSON.stringify(abbreviatePlan(plan))));

    const first = await simulate(plan);
    const again = await simulate(plan);
    const replayed = await simulate(told);

    expect([again.hash, replayed.hash]).toEqual([first.hash, first.hash]);
    expect(again.occurrences).toEqual(first.occurrences);
  });

  it('is another one for another seed', async () => {
    const first = await simulate(makePlan(7, 'everything'));
    const second = await simulate(makePlan(8, 'everything'));

    expect(second.hash).not.toBe(first.hash);
  });

  // Thousands more of them: npm run simulate -- --seeds 2000.
  it.each([
    ['everything', 20],
    ['polls', 10],
  ] as const)('breaks no guarantee: %s, %i seeds', async (profile, seeds) => {
    const plans = Array.from({ length: seeds }, (_, index) => makePlan(index + 1, profile));

    const broken: unknown[] = [];
    for (const plan of plans) {
      const { violations } = await simulate(plan);
      if (violations.length > 0) broken.push({ seed: plan.seed, violations });
    }

    expect(broken).toEqual([]);
  });
});
