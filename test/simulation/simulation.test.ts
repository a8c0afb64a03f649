import { describe, expect, it } from 'vitest';
import { makePlan } from './profiles.ts';
import { simulate } from './simulate.ts';

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
