import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { BURST, POLL, RECONCILIATION, setUp, times } from './one-budget.ts';

describe('a pause', () => {
  const pause = { duration: 15 * SECOND, tooFast: true, sentElapsed: 0 };

  it('applies to all holders of the token', async () => {
    const { clock, budget, budgetOf } = setUp();
    await clock.run(budget.take(POLL));

    await clock.run(budget.pause(pause));
    await clock.run(budgetOf().take(POLL));

    // The pause begins a second later, because the store may be a second ahead of the time that it returns.
    expect(clock.elapsed()).toBe(16 * SECOND);
  });

  it('is stored with the time of the request that caused it', async () => {
    const { clock, store, budget } = setUp();
    await clock.run(budget.take(POLL));
    await clock.advance(500 * MILLISECOND);

    await clock.run(budget.pause(pause));
    const first = store.state();
    await clock.run(budget.pause({ ...pause, duration: SECOND, sentElapsed: SECOND }));
    const second = store.state();
    await clock.run(budget.pause({ ...pause, duration: SECOND, sentElapsed: SECOND + MILLISECOND }));

    expect(first).toMatchObject({
      rateShare: 0.5,
      rateChangedAt: VIRTUAL_START + SECOND,
      pausedUntil: VIRTUAL_START + 16 * SECOND,
    });
    expect(second).toEqual(first);
    expect(store.state()).toMatchObject({ rateShare: 0.25 });
  });

  it('voids earlier bookings, here and in other processes that load the state', async () => {
    const { clock, store, budget, budgetOf } = setUp();
    const other = budgetOf();
    await clock.run(budget.take({ ...POLL, expect: 4 }));
    await clock.run(other.take({ ...POLL, expect: 4 }));

    await clock.run(budget.pause(pause));
    const looking = other.take({ ...RECONCILIATION, deadline: SECOND });
    await expect(clock.run(looking)).rejects.toThrow(DeadlineReached);
    await clock.run(other.take(POLL));

    expect(clock.elapsed()).toBe(16 * SECOND);
    expect(store.calls.saves).toBe(4);
  });

  it('delays requests that already wait for a slot', async () => {
    const { clock, budget } = setUp();
    await clock.run(times(BURST, () => budget.take({ ...POLL, expect: BURST })));

    const waiting = budget.take(POLL);
    await clock.advance(100 * MILLISECOND);
    const pausing = budget.pause({ ...pause, tooFast: false });
    await clock.run(Promise.all([waiting, pausing]));

    expect(clock.elapsed()).toBe(16_001 * MILLISECOND);
  });

  it('that can’t be stored voids earlier bookings, is kept here, and is stored with the next booking', async () => {
    const faults = [undefined, 'lost', undefined] as const;
    let saves = 0;
    const { clock, store, budget } = setUp({ store: { fault: () => faults[saves++] } });
    await clock.run(budget.take({ ...POLL, expect: 2 }));

    await expect(clock.run(budget.pause(pause))).rejects.toThrow('lost');
    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(4);
    expect(clock.elapsed()).toBe(16 * SECOND);
    expect(store.state()).toMatchObject({ pausedUntil: VIRTUAL_START + 16 * SECOND });
  });

  it('is kept here if the store can’t be read', async () => {
    let loads = 0;
    const { clock, store, budget } = setUp({ store: { failsToLoad: () => ++loads === 2 } });
    await clock.run(budget.take(POLL));

    await expect(clock.run(budget.pause(pause))).rejects.toThrow('lost');
    await clock.run(budget.take(POLL));

    expect(clock.elapsed()).toBe(16 * SECOND);
    expect(store.state()).toMatchObject({ pausedUntil: VIRTUAL_START + 16 * SECOND });
  });

  it('voids a booking that is under way', async () => {
    const { clock, store, budget } = setUp({ store: { latencyMs: () => 10 } });
    const taken = budget.take(POLL);

    const pausing = clock.sleep(5).then(() => budget.pause(pause));
    await clock.run(Promise.all([taken, pausing]));

    expect(store.calls.saves).toBe(3);
    expect(clock.elapsed()).toBeGreaterThan(15 * SECOND);
  });

  it('of more than a minute is loaded again each minute', async () => {
    const { clock, store, budget } = setUp();
    await clock.run(budget.take(POLL));
    await clock.run(budget.pause({ ...pause, duration: HOUR }));

    const waiting = budget.take({ ...POLL, deadline: DAY });
    await clock.advance(30 * MINUTE);

    expect(store.calls.loads).toBe(2 + 31);
    await clock.run(waiting);
    expect(clock.elapsed()).toBe(HOUR + SECOND);
  });
});

describe("a clock's error", () => {
  it.each([
    { name: 'left an arrival days ahead', state: { theoreticalArrival: VIRTUAL_START + 3 * DAY } },
    { name: 'left a pause days ahead', state: { pausedUntil: VIRTUAL_START + 3 * DAY } },
  ])('that $name delays no request for more than a minute and a half', async ({ state }) => {
    const { clock, store, budget } = setUp();
    store.put({ ...UNUSED_BUDGET, ...state });

    await clock.run(budget.take(POLL));

    expect(clock.elapsed()).toBe(84 * SECOND);
  });

  it('is corrected for all processes by a request that has no time to wait', async () => {
    const { clock, store, budget, budgetOf } = setUp();
    store.put({ ...UNUSED_BUDGET, pausedUntil: VIRTUAL_START + 3 * DAY });

    const hasty = budget.take({ ...POLL, deadline: SECOND });
    await expect(clock.run(hasty)).rejects.toThrow(DeadlineReached);
    await clock.advance(80 * SECOND);
    await clock.run(budgetOf().take(POLL));

    expect(clock.elapsed()).toBe(84 * SECOND);
  });

  it("that sets the store's clock back voids the bookings after the new time", async () => {
    const { clock, store, budget } = setUp();
    await clock.run(budget.take({ ...POLL, expect: 3 }));

    store.jump(-DAY);
    await clock.run(budget.take({ ...RECONCILIATION, deadline: 3 * MINUTE }));
    await clock.run(budget.take({ ...POLL, deadline: 3 * MINUTE }));

    expect(clock.elapsed()).toBeLessThan(90 * SECOND);
  });

  it.each([DAY, -DAY])("that moves the store's clock by %s µs delays no request for longer", async (by) => {
    const { clock, store, budget } = setUp();
    await clock.run(times(BURST, () => budget.take({ ...POLL, expect: BURST + 3 })));

    store.jump(by);
    await clock.run(times(10, () => budget.take({ ...POLL, expect: 10 })));
    store.jump(-by);
    await clock.run(times(10, () => budget.take({ ...POLL, expect: 10 })));

    expect(clock.elapsed()).toBeLessThan(2 * MINUTE);
    expect(clock.elapsed()).toBeGreaterThan(MINUTE);
  });
});
