import { describe, expect, it } from 'vitest';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { type Budget, createBudget } from '../../../shared/pacing/budget.ts';
import type { Purpose } from '../../../shared/pacing/budget-state.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { createBudgetStore } from './budget-world.ts';

const LASTING = 10 * MINUTE;

/** The rates of greedy processes, one per purpose, in requests a minute over ten minutes; each request takes 50 ms. */
async function ratesOf(requestsPerMinute: number, purposes: readonly Purpose[]): Promise<readonly number[]> {
  const clock = createVirtualClock();
  const store = createBudgetStore(clock, { latencyMs: () => 5 });
  const processes = purposes.map(async (purpose) => {
    const budgets = store.seenBy(clock);
    const budget = createBudget({ budgets, clock, random: () => 0.5, tokenHash: 'a', requestsPerMinute });
    return (await sendingOf(budget, purpose)) / (LASTING / MINUTE);
  });
  return clock.run(Promise.all(processes));

  async function sendingOf(budget: Budget, purpose: Purpose): Promise<number> {
    for (let count = 0; ; count += 1) {
      await budget.take({ purpose, expect: 10, deadline: HOUR });
      if (clock.elapsed() >= LASTING) return count;
      await clock.sleep(50);
    }
  }
}

describe('a budget with more demand than requests', () => {
  it.each([12, 30, 240, 3_000])(
    'of %s gives polls most of its requests and reconciliation a fifth',
    async (budget) => {
      const [polls, reconciliation] = await ratesOf(budget, ['poll', 'reconciliation']);

      expect(polls! / budget).toBeGreaterThan(budget < 3_000 ? 0.66 : 0.35);
      expect(reconciliation! / budget).toBeGreaterThan(0.16);
    },
  );

  it.each([12, 30, 240])(
    'of %s gives all of its requests to reconciliation if there are no polls',
    async (budget) => {
      const [reconciliation] = await ratesOf(budget, ['reconciliation']);

      expect(reconciliation! / budget).toBeGreaterThan(0.83);
    },
  );

  it('is shared by several processes', async () => {
    const rates = await ratesOf(240, ['poll', 'poll', 'poll']);

    const all = rates.reduce((sum, rate) => sum + rate, 0);
    expect(all / 240).toBeGreaterThan(0.66);
    expect(Math.min(...rates) / all).toBeGreaterThan(0.05);
  });
});

describe('polls beside a source with the same token and a smaller budget', () => {
  it.each([
    { smaller: 60, hits429: false },
    { smaller: 10, hits429: false },
    { smaller: 10, hits429: true },
    { smaller: 5, hits429: false },
  ])(
    'of $smaller wait for some of its requests only (after a 429: $hits429)',
    async ({ smaller, hits429 }) => {
      const clock = createVirtualClock();
      const store = createBudgetStore(clock, { latencyMs: () => 5 });
      const [large, small] = [240, smaller].map((requestsPerMinute) =>
        createBudget({
          budgets: store.seenBy(clock),
          clock,
          random: () => 0.5,
          tokenHash: 'a',
          requestsPerMinute,
        }),
      ) as [Budget, Budget];
      const waits: number[] = [];
      const polling = async () => {
        while (clock.elapsed() < LASTING) {
          const startedAt = clock.elapsed();
          await large.take({ purpose: 'poll', expect: 1, deadline: HOUR });
          waits.push(clock.elapsed() - startedAt);
          if (hits429 && waits.length === 10)
            await large.pause({ duration: SECOND, tooFast: true, sentElapsed: clock.elapsed() });
          await clock.sleep(5_000);
        }
      };
      const walking = async () => {
        while (clock.elapsed() < LASTING) {
          await small.take({ purpose: 'reconciliation', expect: 1, deadline: HOUR });
          await clock.sleep(50);
        }
      };

      await clock.run(Promise.all([polling(), walking()]));

      // A pause after an impossible state would take 84 s.
      expect(Math.max(...waits)).toBeLessThan(20 * SECOND);
    },
  );
});

describe('a poll while others take as many requests as they can', () => {
  it.each(['reconciliation', 'covering'] as const)(
    'waits only for its booking beside %s',
    async (purpose) => {
      const clock = createVirtualClock();
      const store = createBudgetStore(clock, { latencyMs: () => 5 });
      const budgetOf = () =>
        createBudget({
          budgets: store.seenBy(clock),
          clock,
          random: () => 0.5,
          tokenHash: 'a',
          requestsPerMinute: 240,
        });
      const waits: number[] = [];
      const polling = async () => {
        const budget = budgetOf();
        while (clock.elapsed() < 2 * MINUTE) {
          await clock.sleep(1_000);
          const startedAt = clock.elapsed();
          await budget.take({ purpose: 'poll', expect: 1, deadline: HOUR });
          waits.push((clock.elapsed() - startedAt) / MILLISECOND);
        }
      };
      const taking = async () => {
        const budget = budgetOf();
        while (clock.elapsed() < 2 * MINUTE) {
          await budget.take({ purpose, expect: 20, deadline: HOUR });
        }
      };

      await clock.run(Promise.all([polling(), taking()]));

      expect(waits.length).toBeGreaterThan(115);
      // Two calls to the store, and another one after a conflict, each in both directions.
      expect(Math.max(...waits)).toBeLessThan(60);
    },
  );
});
