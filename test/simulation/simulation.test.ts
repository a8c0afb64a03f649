import { describe, expect, it } from 'vitest';
import { abbreviatePlan, completePlan } from './plan.ts';
import { makePlan } from './profiles.ts';
import { simulate } from './simulate.ts';

describe('a simulated run', () => {
  it('repeats exactly, also from its abbreviated plan', async () => {
    const plan = makePlan(7, 'everything');
    const abbreviated = completePlan(JSON.parse(JSON.stringify(abbreviatePlan(plan))));

    const first = await simulate(plan);
    const again = await simulate(plan);
    const replayed = await simulate(abbreviated);

    expect([again.hash, replayed.hash]).toEqual([first.hash, first.hash]);
    expect(again.occurrences).toEqual(first.occurrences);
  });

  it('differs for another seed', async () => {
    const first = await simulate(makePlan(7, 'everything'));
    const second = await simulate(makePlan(8, 'everything'));

    expect(second.hash).not.toBe(first.hash);
  });

  it.each([
    ['other store', 'known_group_not_found', 'mended'],
    ['empty store', 'known_group_not_found', 'mended'],
    ['lists empty', 'known_range_empty', 'mended'],
    ['lists empty, and released', 'known_range_empty', 'released'],
    ['groups hidden', 'groups_removed', 'mended'],
    ['groups removed', 'groups_removed', 'released'],
    ['store emptied', 'groups_removed', 'released'],
    ['store replaced', 'known_group_not_found', 'released'],
    ['shipments hidden', 'entities_removed', 'mended'],
    ['shipments removed', 'entities_removed', 'released'],
    ['answered otherwise', 'changed_without_stamps', 'mended'],
    ['changed without stamps', 'changed_without_stamps', 'released'],
  ] as const)('holds a suspicious change and breaks no guarantee: %s', async (kind, guard, end) => {
    const plan = completePlan({
      groups: 45,
      activeMs: 300_000,
      changesPerSecond: 0.05,
      reconciles: true,
      settings: { intervalMs: 15_000, reconcileMs: 30_000, lookbackMs: 15_000 },
      mishap: { kind, fromMs: 0, forMs: 60_000 },
    });

    const { violations, occurrences } = await simulate(plan);

    expect(violations).toEqual([]);
    expect(occurrences.get(`guard ${guard}`)).toBeGreaterThan(0);
    expect(occurrences.get(`${end} ${guard}`)).toBeGreaterThan(0);
  });

  // Thousands more of them: npm run simulate -- --seeds 2000.
  it.each([
    ['everything', 4],
    ['polls', 3],
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
