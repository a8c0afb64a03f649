import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { type Budget, createBudget } from '../../../shared/pacing/budget.ts';
import { bookSlots, type Purpose, ratesFor, UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import { BudgetUnavailable, DeadlineReached } from '../../../shared/pacing/errors.ts';
import { SLOT_LATENESS, TRANSIT_SPREAD } from '../../../shared/pacing/gcra.ts';
import { createSeededRandom, type SeededRandom } from '../../fakes/seeded-random.ts';
import {
  createVirtualClock,
  type MachineClock,
  VIRTUAL_START,
  type VirtualClock,
} from '../../fakes/virtual-clock.ts';
import { type BudgetStore, createBudgetStore } from './budget-world.ts';
import { mostWithin } from './most-within.ts';

const LASTING = 4 * MINUTE;

interface World {
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  readonly store: BudgetStore;
  readonly requestsPerMinute: number;
  /** The true times of sending, and of arrival at the service. */
  readonly sent: Instant[];
  readonly arrived: Instant[];
}

function createWorld(requestsPerMinute: number, seed: number, hasClock: boolean): World {
  const random = createSeededRandom(seed);
  const clock = createVirtualClock();
  const slowness = random.upTo(700);
  const faults = random.chance(0.5) ? 0.03 : 0;
  const store = createBudgetStore(clock, {
    latencyMs: () => random.upTo(slowness),
    fault: () => (random.chance(faults) ? (random.chance(0.5) ? 'lost' : 'done') : undefined),
    hasClock,
  });
  return { random, clock, store, requestsPerMinute, sent: [], arrived: [] };
}

function createMachine({ clock, random }: World): MachineClock {
  return clock.machine({
    ahead: (random.next() - 0.5) * 48 * HOUR,
    elapsed: random.upTo(1e12),
    rate: 1 + (random.next() - 0.5) * 0.0006,
  });
}

/** Starts a process without state of its own, which sends as much as it can: in bursts, in turns, and with pauses. */
async function livingProcess(world: World, machine: MachineClock, end: Instant): Promise<void> {
  const { random, store, requestsPerMinute } = world;
  const budgets = store.seenBy(machine);
  const budget = createBudget({
    budgets,
    clock: machine,
    random: random.next,
    tokenHash: 'a',
    requestsPerMinute,
  });
  const lanes = Array.from({ length: 1 + random.upTo(3) }, () => sendAllItCan(world, budget, machine, end));
  await Promise.all(lanes);
}

async function sendAllItCan(
  world: World,
  budget: Budget,
  machine: MachineClock,
  end: Instant,
): Promise<void> {
  const { random, clock, sent, arrived } = world;
  const purpose = random.chance(0.5) ? 'poll' : 'reconciliation';
  const idling = [0, 0.02, 0.2][random.upTo(2)]!;
  while (clock.now() < end) {
    const deadline = machine.elapsed() + (end - clock.now());
    const sentElapsed = machine.elapsed();
    try {
      await budget.take({ purpose, expect: random.upTo(20), deadline });
      sent.push(clock.now());
      arrived.push(clock.now() + random.upTo(TRANSIT_SPREAD));
      if (random.chance(0.005)) {
        await budget.pause({ duration: random.upTo(5) * SECOND, tooFast: random.chance(0.5), sentElapsed });
      }
    } catch (error) {
      if (error instanceof DeadlineReached) return;
      if (!(error instanceof BudgetUnavailable) && !String(error).includes('lost on its way')) throw error;
    }
    await machine.sleep(random.upTo(200));
    if (random.chance(idling)) await machine.sleep(random.upTo(30_000));
  }
}

function budgetsOf(most: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 61, max: 400 }),
    fc.integer({ min: 401, max: most }),
  );
}

describe('the budget over any 60 seconds', () => {
  const budgets = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 61, max: 400 }), {
    weight: 1,
    arbitrary: fc.integer({ min: 401, max: 3_500 }),
  });

  it('is kept by several processes with their own clocks that start, end and lose saves', async () => {
    await fc.assert(
      fc.asyncProperty(budgets, fc.integer(), async (requestsPerMinute, seed) => {
        const world = createWorld(requestsPerMinute, seed, true);
        const { clock, random } = world;
        const end = clock.now() + LASTING;

        const machines = Array.from({ length: 1 + random.upTo(3) }, async () => {
          const machine = createMachine(world);
          while (clock.now() < end) {
            await livingProcess(world, machine, Math.min(end, clock.now() + random.upTo(LASTING)));
            // A process without a slot before the end tries again some time later.
            await machine.sleep(1_000);
          }
        });
        await clock.run(Promise.all(machines), HOUR);

        expect(world.sent.length).toBeGreaterThan(0);
        expect(mostWithin(MINUTE, world.sent)).toBeLessThanOrEqual(requestsPerMinute);
        expect(mostWithin(MINUTE, world.arrived)).toBeLessThanOrEqual(requestsPerMinute);
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });

  it('is kept by a single process with a clock that jumps', async () => {
    await fc.assert(
      fc.asyncProperty(budgets, fc.integer(), async (requestsPerMinute, seed) => {
        const world = createWorld(requestsPerMinute, seed, false);
        const { clock, random } = world;
        const end = clock.now() + LASTING;
        const machine = createMachine(world);

        const jumping = async () => {
          while (clock.now() < end) {
            await clock.sleep(random.upTo(40_000));
            machine.jump((random.next() - 0.5) * [SECOND, 20 * SECOND, HOUR, 3 * DAY][random.upTo(3)]!);
          }
        };
        await clock.run(Promise.all([livingProcess(world, machine, end), jumping()]), HOUR);

        expect(mostWithin(MINUTE, world.arrived)).toBeLessThanOrEqual(requestsPerMinute);
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });
});

describe('a booking', () => {
  it('keeps any 60 seconds within the budget, in any order of bookings and uses', () => {
    const step = fc.record({
      purpose: fc.constantFrom<Purpose>('poll', 'reconciliation'),
      count: fc.integer({ min: 1, max: 30 }),
      behind: fc.integer({ min: 0, max: 4 * SECOND }),
      until: fc.integer({ min: 0, max: 4 * SECOND }),
      late: fc.integer({ min: 0, max: SLOT_LATENESS + TRANSIT_SPREAD }),
    });
    fc.assert(
      fc.property(
        budgetsOf(600),
        fc.array(step, { minLength: 20, maxLength: 200 }),
        (requestsPerMinute, steps) => {
          const rates = ratesFor(requestsPerMinute);
          const arrived: Instant[] = [];
          let state = UNUSED_BUDGET;
          let time = VIRTUAL_START;

          for (const { purpose, count, behind, until, late } of steps) {
            const booking = bookSlots(rates, state, time - behind, { purpose, count });
            state = booking.state;
            // Every other slot is used late, so that they crowd together.
            arrived.push(...booking.slots.map((slot, index) => slot + (index % 2 === 0 ? late : 0)));
            time += until;
          }

          expect(mostWithin(MINUTE, arrived)).toBeLessThanOrEqual(requestsPerMinute);
        },
      ),
    );
  });

  it('keeps any 60 seconds within the largest budget, if holders of a token have different ones', () => {
    const step = fc.record({
      holder: fc.integer({ min: 0, max: 2 }),
      purpose: fc.constantFrom<Purpose>('poll', 'reconciliation'),
      count: fc.integer({ min: 1, max: 30 }),
      until: fc.integer({ min: 0, max: 4 * SECOND }),
      late: fc.integer({ min: 0, max: SLOT_LATENESS + TRANSIT_SPREAD }),
    });
    fc.assert(
      fc.property(
        fc.tuple(budgetsOf(600), budgetsOf(600), budgetsOf(600)),
        fc.array(step, { minLength: 20, maxLength: 200 }),
        (budgets, steps) => {
          const arrived: Instant[] = [];
          let state = UNUSED_BUDGET;
          let time = VIRTUAL_START;

          for (const { holder, purpose, count, until, late } of steps) {
            const booking = bookSlots(ratesFor(budgets[holder]!), state, time, { purpose, count });
            state = booking.state;
            arrived.push(...booking.slots.map((slot, index) => slot + (index % 2 === 0 ? late : 0)));
            time += until;
          }

          expect(mostWithin(MINUTE, arrived)).toBeLessThanOrEqual(Math.max(...budgets));
          expect(state.pausedUntil).toBe(0);
        },
      ),
    );
  });
});
