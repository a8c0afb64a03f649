import { describe, expect, it } from 'vitest';
import { makePlan, PROFILES } from './profiles.ts';
import { replayCommand } from './report.ts';
import { simulate } from './simulate.ts';

const SEEDS = 25;

describe.each(PROFILES)('a simulated deployment (%s)', (profile) => {
  it('keeps its guarantees whatever goes wrong', { timeout: 120_000 }, async () => {
    const broken: string[] = [];

    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { plan, violations } = await simulate(makePlan(seed, profile));
      const [first] = violations;
      if (first) broken.push(`seed ${seed}: ${first.guarantee} ${first.message}\n${replayCommand(plan)}`);
    }

    expect(broken).toEqual([]);
  });
});

describe('a simulated run', () => {
  it('is the same each time', async () => {
    const plan = makePlan(7, 'everything');

    const first = await simulate(plan);
    const second = await simulate(plan);

    expect(second.hash).toBe(first.hash);
    expect(second.occurrences).toEqual(first.occurrences);
  });

  it('is another one for another seed', async () => {
    const first = await simulate(makePlan(7, 'everything'));
    const second = await simulate(makePlan(8, 'everything'));

    expect(second.hash).not.toBe(first.hash);
  });
});
