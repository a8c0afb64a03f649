import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { type Budget, createBudget } from '../../../shared/pacing/budget.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import { TRANSIT_SPREAD } from '../../../shared/pacing/gcra.ts';
import { createVirtualClock, type MachineClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { createRandom } from './random.ts';
import { createBudgetStore } from './budget-world.ts';
import { mostInAMinute } from './most-in-a-minute.ts';

const LASTING = 4 * MINUTE;

/** Processes that send all they can, in bursts and with idle times, restart, pause and lose saves. */
async function sendingOf(requestsPerMinute: number, seed: number, kind: World): Promise<Sending> {
  const random = createRandom(seed);
  const clock = createVirtualClock();
  const slowness = random.upTo(800);
  const faults = random.chance(0.5) ? 0.05 : 0;
  const store = createBudgetStore(clock, {
    latencyMs: () => random.upTo(slowness),
    fault: () => (random.chance(faults) ? (random.chance(0.5) ? 'lost' : 'done') : undefined),
    hasClock: kind !== 'no clock of the store',
  });
  const sending: Sending = { sent: [], arrived: [] };
  const end = clock.now() + LASTING;
  const count = kind === 'several' ? 1 + random.upTo(4) : 1;
  const processes = Array.from({ length: count }, async () => {
    const machine = clock.machine({
      ahead: (random.next() - 0.5) * 48 * HOUR,
      elapsed: random.upTo(1e12),
      rate: 1 + (random.next() - 0.5) * 0.0006,
    });
    while (clock.now() < end) {
      // A process begins with nothing but what is stored.
      const budget = createBudget({
        budgets: store.seenBy(machine),
        clock: machine,
        random: random.next,
        tokenHash: 'a',
        requestsPerMinute,
      });
      await livingOn(budget, machine, clock, { random, sending, end: Math.min(end, clock.now() + random.upTo(LASTING)), kind });
    }
  });
  await clock.run(Promise.all(processes), HOUR);
  return sending;
}
