import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import { BudgetUnavailable, DeadlineReached } from '../../../shared/pacing/errors.ts';
import { createStoredBudget } from '../../../shared/pacing/stored-budget.ts';
import type { BudgetState, Budgets } from '../../../shared/ports.ts';
import { createVirtualClock, VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { createBudgetStore } from './budget-world.ts';

function setUp(
  options: { readonly hasClock?: boolean; readonly budgets?: Budgets; readonly random?: number } = {},
) {
  const clock = createVirtualClock();
  const machine = clock.machine({ ahead: 5 * HOUR, elapsed: 77 });
  const store = createBudgetStore(clock, { hasClock: options.hasClock ?? true });
  const stored = createStoredBudget({
    budgets: options.budgets ?? store.seenBy(machine),
    clock: machine,
    random: () => options.random ?? 0.5,
    tokenHash: 'a',
  });
  return { clock, machine, store, stored };
}

const arrivingAt = (theoreticalArrival: number) => (state: BudgetState) => ({
  state: { ...state, theoreticalArrival },
});
const unchanged = (state: BudgetState) => ({ state });

describe('an update of the shared budget', () => {
  it('changes the stored state, and returns the change', async () => {
    const { store, stored } = setUp();
    await stored.update(arrivingAt(5));

    const change = await stored.update((state) => ({
      state: { ...state, theoreticalArrival: state.theoreticalArrival + 1 },
      more: 'more',
    }));

    expect(change).toEqual({ state: { ...UNUSED_BUDGET, theoreticalArrival: 6 }, more: 'more' });
    expect(store.state()).toEqual({ ...UNUSED_BUDGET, theoreticalArrival: 6 });
  });

  it('saves nothing if nothing changes, not even at first', async () => {
    const { store, stored } = setUp();

    const { state } = await stored.update(unchanged);
    store.put({ ...UNUSED_BUDGET, pausedUntil: 9 });
    await stored.update(unchanged);

    expect(state).toEqual(UNUSED_BUDGET);
    expect(store.calls).toEqual({ loads: 2, saves: 0, conflicts: 0 });
    expect(stored.pausedUntil()).toBe(9);
  });

  it('is applied to changes that others saved meanwhile', async () => {
    const { clock, store, stored } = setUp();
    const seen: number[] = [];

    const update = stored.update((state) => {
      if (seen.length === 0) store.put({ ...UNUSED_BUDGET, theoreticalArrival: 100 });
      seen.push(state.theoreticalArrival);
      return arrivingAt(state.theoreticalArrival + 1)(state);
    });
    await clock.run(update);

    expect(seen).toEqual([0, 100]);
    expect(store.state()?.theoreticalArrival).toBe(101);
  });

  it('waits between conflicts, twice as long each time up to half a second, and rejects at the twentieth', async () => {
    const times: number[] = [];
    const budgets: Budgets = {
      load: async () => ({ version: 0, state: undefined, storeTime: VIRTUAL_START }),
      save: async () => {
        times.push(clock.elapsed() / MILLISECOND);
        return 'conflict';
      },
    };
    const { clock, stored } = setUp({ budgets, random: 0.99 });

    const update = stored.update(arrivingAt(1));

    await expect(clock.run(update)).rejects.toThrow(
      new BudgetUnavailable('Others changed the budget 20 times in a row. The next tick tries again.'),
    );
    const pauses = times.slice(1).map((time, index) => time - times[index]!);
    expect(pauses).toEqual([9, 19, 39, 79, 158, 316, ...Array(13).fill(495)]);
    expect(clock.elapsed() / MILLISECOND).toBe(times.at(-1));
  });

  it('rejects if its caller throws', async () => {
    const { clock, store, stored } = setUp();

    let tries = 0;

    const update = stored.update((state) => {
      store.put(UNUSED_BUDGET);
      tries += 1;
      if (tries === 2) throw new DeadlineReached('enough');
      return arrivingAt(1)(state);
    });

    await expect(clock.run(update)).rejects.toThrow('enough');
    expect(store.calls.saves).toBe(1);
  });

  it('rejects with the error of the store', async () => {
    const failure = new Error('no store');
    const budgets: Budgets = {
      load: async () => ({ version: 0, state: undefined, storeTime: 0 }),
      save: () => Promise.reject(failure),
    };
    const { stored } = setUp({ budgets });

    await expect(stored.update(arrivingAt(1))).rejects.toBe(failure);
  });

  it('loads the budget of its token', async () => {
    const loaded: string[] = [];
    const budgets: Budgets = {
      load: async (tokenHash) => {
        loaded.push(tokenHash);
        return { version: 3, state: undefined, storeTime: 0 };
      },
      save: async (tokenHash, _state, version) => {
        loaded.push(`${tokenHash} ${version}`);
        return 'saved';
      },
    };

    await setUp({ budgets }).stored.update(arrivingAt(1));

    expect(loaded).toEqual(['a', 'a 3']);
  });
});

describe("the store's time at an update", () => {
  it("is bounded by the store's own clock, not by the local clock", async () => {
    const { clock, stored } = setUp();
    await clock.advance(400 * MILLISECOND);

    await stored.update(unchanged);
    await clock.advance(50 * MILLISECOND);

    expect(stored.atLeast()).toBe(VIRTUAL_START + 50 * MILLISECOND);
    expect(stored.atLeast(77)).toBe(VIRTUAL_START - 400 * MILLISECOND);
    expect(stored.atMost()).toBe(VIRTUAL_START + SECOND + 50 * MILLISECOND);
  });

  it('is whole microseconds, rounded to the safe side', async () => {
    const budgets: Budgets = {
      load: async () => ({ version: 0, state: undefined, storeTime: 10.5 }),
      save: async () => 'saved',
    };
    const { stored } = setUp({ budgets });

    await stored.update(unchanged);

    expect([stored.atLeast(), stored.atMost()]).toEqual([10, SECOND + 11]);
  });
});

describe('the state last seen of the shared budget', () => {
  const seen: BudgetState = {
    theoreticalArrival: VIRTUAL_START + SECOND,
    reservedArrival: VIRTUAL_START + 2 * SECOND,
    rateShare: 0.5,
    rateChangedAt: VIRTUAL_START,
    pausedUntil: VIRTUAL_START + 3 * SECOND,
    reach: 4 * SECOND,
  };

  it.each(['theoreticalArrival', 'reservedArrival', 'pausedUntil'] as const)(
    'is kept if the stored %s is behind it',
    async (field) => {
      const { store, stored } = setUp();
      await stored.update(() => ({ state: seen }));
      store.put({ ...seen, [field]: 0, rateShare: 0.25, rateChangedAt: 1, reach: 0 });

      const { state } = await stored.update(unchanged);

      expect(state).toEqual({ ...seen, rateShare: 0.25, rateChangedAt: 1 });
      expect(store.state()).toEqual(state);
    },
  );

  it('is replaced by later changes of others', async () => {
    const { store, stored } = setUp();
    await stored.update(() => ({ state: seen }));
    const later = {
      ...seen,
      theoreticalArrival: seen.theoreticalArrival + 1,
      reservedArrival: seen.reservedArrival + 1,
      pausedUntil: seen.pausedUntil + 1,
    };
    store.put(later);

    const { state } = await stored.update(unchanged);

    expect(state).toEqual(later);
    expect(store.calls.saves).toBe(1);
  });

  it("moves with the store's clock if that jumps forward", async () => {
    const { store, stored } = setUp();
    await stored.update(unchanged);
    await stored.update(() => ({ state: seen }));

    store.jump(MINUTE);
    const { state } = await stored.update(unchanged);

    expect(state).toEqual({
      ...seen,
      theoreticalArrival: seen.theoreticalArrival + MINUTE,
      reservedArrival: seen.reservedArrival + MINUTE,
      pausedUntil: seen.pausedUntil + MINUTE,
    });
  });

  it('stays whole microseconds', async () => {
    const storeTimes = [VIRTUAL_START, VIRTUAL_START + MINUTE + 0.5];
    const budgets: Budgets = {
      load: async () => ({ version: 0, state: undefined, storeTime: storeTimes.shift() ?? 0 }),
      save: async () => 'saved',
    };
    const { stored } = setUp({ budgets });
    await stored.update(() => ({ state: seen }));

    const { state } = await stored.update(unchanged);

    expect(state.theoreticalArrival).toBe(seen.theoreticalArrival + MINUTE + 1);
  });

  it("is forgotten if the store's clock jumps back", async () => {
    const { store, stored } = setUp();
    await stored.update(() => ({ state: seen }));

    store.jump(-DAY);
    store.put(UNUSED_BUDGET);
    const { state } = await stored.update(unchanged);

    expect(state).toEqual(UNUSED_BUDGET);
  });
});
