import { describe, expect, it } from 'vitest';
import { DAY, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import { BudgetUnavailable, DeadlineReached } from '../../../shared/pacing/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { BURST, INTERVAL, POLL, RECONCILIATION, setUp, times } from './one-budget.ts';
import { REACH } from './some-bookings.ts';

describe('taking a request from the budget', () => {
  it('takes no time if nothing was sent lately', async () => {
    const { clock, store, budget } = setUp();

    await clock.run(budget.take(POLL));

    expect(clock.elapsed()).toBe(0);
    expect(store.state()).toEqual({
      ...UNUSED_BUDGET,
      theoreticalArrival: VIRTUAL_START + INTERVAL,
      reach: REACH,
    });
  });

  it('books the expected requests with one save', async () => {
    const { clock, store, budget } = setUp();

    await clock.run(times(3, () => budget.take({ ...POLL, expect: 3 })));
    const { saves } = store.calls;
    await clock.run(budget.take({ ...POLL, expect: 3 }));

    expect([saves, store.calls.saves]).toEqual([1, 2]);
    expect(store.state()?.theoreticalArrival).toBe(VIRTUAL_START + 6 * INTERVAL);
  });

  it.each([0, -3])('books one request if %s are expected', async (expected) => {
    const { clock, store, budget } = setUp();

    await clock.run(budget.take({ ...POLL, expect: expected }));

    expect(store.state()?.theoreticalArrival).toBe(VIRTUAL_START + INTERVAL);
  });

  it('waits for its slot, to the next millisecond', async () => {
    const { clock, budget } = setUp();

    await clock.run(times(BURST, () => budget.take({ ...POLL, expect: BURST + 2 })));
    const after = [clock.elapsed()];
    for (const _ of [1, 2]) {
      await clock.run(budget.take(POLL));
      after.push(clock.elapsed());
    }

    expect(after).toEqual([0, 368 * MILLISECOND, 736 * MILLISECOND]);
  });

  it('waits for a slot that can’t be booked yet, and books it as soon as possible', async () => {
    const { clock, store, budget } = setUp({ requestsPerMinute: 2 });
    await clock.run(budget.take(POLL));

    const second = budget.take(POLL);
    await clock.advance(58_999 * MILLISECOND);
    const early = store.calls.saves;
    await clock.advance(100 * MILLISECOND);
    const booked = store.calls.saves;
    await clock.run(second);

    expect([early, booked]).toEqual([1, 2]);
    expect(clock.elapsed()).toBe(64_002 * MILLISECOND);
  });

  it('also waits for reconciliation, but books less far ahead', async () => {
    const { clock, store, budget } = setUp({ requestsPerMinute: 1 });
    await clock.run(budget.take(POLL));

    const second = budget.take(RECONCILIATION);
    await clock.advance(60_999 * MILLISECOND);
    const early = store.calls.saves;
    await clock.advance(100 * MILLISECOND);

    expect([early, store.calls.saves]).toEqual([1, 2]);
    await clock.run(second);
    expect(clock.elapsed()).toBe(64_002 * MILLISECOND);
  });

  it('runs work that comes due while it waits, even if that takes slots too, and then continues to wait', async () => {
    const { clock, budget } = setUp({ requestsPerMinute: 2 });
    await clock.run(times(2, () => budget.take(RECONCILIATION)));
    const ran: number[] = [];
    const meanwhile = {
      dueAt: () => (ran.length === 0 ? 10 * SECOND : Number.POSITIVE_INFINITY),
      run: async () => {
        await budget.take(POLL);
        ran.push(clock.elapsed());
      },
    };

    await clock.run(budget.take({ ...RECONCILIATION, meanwhile }));

    // Each has its own part of the budget, of one request in 64 s.
    expect([...ran, clock.elapsed()]).toEqual([64_002 * MILLISECOND, 64_003 * MILLISECOND]);
  });

  it('runs that work at the moment it is due, whenever the wait began', async () => {
    const { clock, budget } = setUp({ requestsPerMinute: 2 });
    await clock.run(budget.take(POLL));
    await clock.advance(20 * SECOND);
    const ran: number[] = [];
    const meanwhile = {
      dueAt: () => (ran.length === 0 ? 30 * SECOND : Number.POSITIVE_INFINITY),
      run: async () => void ran.push(clock.elapsed()),
    };

    await clock.run(budget.take({ ...POLL, meanwhile }));

    expect(ran).toEqual([30 * SECOND]);
  });

  it('rejects with the error of that work', async () => {
    const { clock, budget } = setUp({ requestsPerMinute: 2 });
    await clock.run(budget.take(POLL));
    const run = () => Promise.reject(new Error('injected by the test'));

    const second = budget.take({ ...POLL, meanwhile: { dueAt: () => SECOND, run } });

    await expect(clock.run(second)).rejects.toThrow('injected by the test');
    expect(clock.elapsed()).toBe(SECOND);
  });

  it("never ends before the store's clock has certainly reached the slot", async () => {
    const { clock, budgetOf } = setUp({ requestsPerMinute: 2 });
    await clock.run(budgetOf().take(POLL));

    // At 1.9 s the store returns 1 s, which may be its time.
    await clock.advance(1_900 * MILLISECOND);
    const machine = clock.machine({ ahead: DAY });
    await clock.run(budgetOf({ clock: machine }).take(POLL));

    // The answer to the booking, 59 s later and again 0.9 s late, gave no better bound.
    expect(clock.elapsed()).toBeGreaterThanOrEqual(64_001 * MILLISECOND);
    expect(clock.elapsed()).toBeLessThan(65 * SECOND);
  });

  it('keeps bookings of polls and of reconciliation apart', async () => {
    const { clock, store, budget } = setUp();

    await clock.run(budget.take({ ...POLL, expect: 2 }));
    await clock.run(budget.take({ ...RECONCILIATION, expect: 2 }));
    await clock.run(budget.take(POLL));
    await clock.run(budget.take(RECONCILIATION));

    expect(store.calls.saves).toBe(2);
  });

  it('causes no conflict with itself', async () => {
    const { clock, store, budget } = setUp({ store: { latencyMs: () => 5 } });

    await clock.run(Promise.all([1, 2, 3, 4].map(() => budget.take(POLL))));
    await clock.run(Promise.all([1, 2, 3, 4].map(() => budget.take({ ...POLL, expect: 4 }))));

    expect(store.calls).toEqual({ loads: 5, saves: 5, conflicts: 0 });
  });

  it('works again after a failure of the store', async () => {
    const faults = ['lost', undefined] as const;
    let calls = 0;
    const { clock, budget } = setUp({ store: { fault: () => faults[calls++] } });

    const both = Promise.allSettled([budget.take(POLL), budget.take(POLL)]);

    const [first, second] = await clock.run(both);
    expect(first).toMatchObject({ status: 'rejected', reason: new Error('The save was lost on its way.') });
    expect(second).toEqual({ status: 'fulfilled', value: undefined });
  });

  it('rejects an invalid budget', () => {
    expect(() => setUp({ requestsPerMinute: 0 })).toThrow(RangeError);
  });

  it('has the hash of its token', () => {
    expect(setUp().budget.tokenHash).toBe('a');
  });
});

describe('a slot that is not used in time', () => {
  it('is usable while the store is at most three seconds past it', async () => {
    const { clock, store, budget } = setUp();
    await clock.run(budget.take({ ...POLL, expect: 2 }));

    // The store may be a second ahead of the time that it returns.
    await clock.advance(2 * SECOND);
    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(1);
  });

  it('is void after that', async () => {
    const { clock, store, budget } = setUp();
    await clock.run(budget.take({ ...POLL, expect: 8 }));

    await clock.advance(2 * SECOND + MILLISECOND);
    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(2);
  });

  it('is void if the machine was suspended meanwhile', async () => {
    const { clock, store, budgetOf } = setUp();
    const machine = clock.machine();
    const budget = budgetOf({ budgets: store.seenBy(machine), clock: machine });
    await clock.run(budget.take({ ...POLL, expect: 2 }));

    await clock.advance(MINUTE);
    machine.suspend(MINUTE);
    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(2);
  });

  it('makes the budget unavailable after five void slots in a row', async () => {
    const { clock, store, budget } = setUp({ store: { latencyMs: () => 1_000 } });

    const taken = budget.take(POLL);

    const error = await clock.run(taken).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BudgetUnavailable);
    expect(String(error)).toBe(
      'BudgetUnavailable: Booked requests expire before they can be sent, because the store of the budget is slow. The next tick tries again.',
    );
    expect(store.calls).toEqual({ loads: 5, saves: 5, conflicts: 0 });
  });

  it('is replaced after four void slots in a row', async () => {
    let calls = 0;
    // A load and a save, both ways: 4 s for each of the first four bookings, none after that.
    const { clock, store, budget } = setUp({ store: { latencyMs: () => (calls++ < 16 ? 1_000 : 0) } });

    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(5);
  });
});

describe('the deadline', () => {
  it('that has passed rejects the request without a load', async () => {
    const { clock, store, budget } = setUp();
    await clock.advance(SECOND);

    const taken = budget.take({ ...POLL, deadline: SECOND - 1 });

    await expect(clock.run(taken)).rejects.toThrow(
      new DeadlineReached('The next request would come after the deadline.'),
    );
    expect(store.calls.loads).toBe(0);
  });

  it('may be the exact moment of sending', async () => {
    const { clock, budget } = setUp();
    await clock.advance(SECOND);

    await clock.run(budget.take({ ...POLL, deadline: SECOND }));

    expect(clock.elapsed()).toBe(SECOND);
  });

  it.each([
    { name: 'booked', slotAt: INTERVAL, requestsPerMinute: 240, taken: BURST },
    { name: 'not booked yet', slotAt: 64_000_001, requestsPerMinute: 2, taken: 1 },
  ])(
    'before a slot that is $name rejects the request at once',
    async ({ slotAt, requestsPerMinute, taken }) => {
      const { clock, budget } = setUp({ requestsPerMinute });
      await clock.run(times(taken, () => budget.take(POLL)));

      const early = budget.take({ ...POLL, deadline: slotAt - 1 });
      await expect(clock.run(early)).rejects.toThrow(DeadlineReached);
      const reportedAt = clock.elapsed();
      // The wait is in whole milliseconds, and the store's time is known to a millisecond.
      await clock.run(budget.take({ ...POLL, deadline: slotAt + 2 * MILLISECOND }));

      expect(reportedAt).toBe(0);
    },
  );

  it('of one request leaves the slot to another with more time', async () => {
    const { clock, store, budget } = setUp();
    await clock.run(times(BURST, () => budget.take({ ...POLL, expect: BURST + 1 })));

    await expect(clock.run(budget.take({ ...POLL, deadline: 1 }))).rejects.toThrow(DeadlineReached);
    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(1);
  });

  it('that passes during conflicts in the store rejects the request', async () => {
    const { clock, store, budgetOf } = setUp();
    const seen = store.seenBy(clock);
    const budgets = { ...seen, save: async () => 'conflict' as const };

    const taken = budgetOf({ budgets }).take({ ...POLL, deadline: 20 * MILLISECOND });

    await expect(clock.run(taken)).rejects.toThrow(DeadlineReached);
    expect(clock.elapsed()).toBe(35 * MILLISECOND);
  });

  it('does not matter to a request that is aborted while it waits', async () => {
    const { clock, budget } = setUp({ requestsPerMinute: 2 });
    const stop = new AbortController();
    await clock.run(budget.take({ ...POLL, signal: stop.signal }));

    const waiting = budget.take({ ...POLL, signal: stop.signal });
    const stopping = clock.sleep(1_000).then(() => stop.abort());

    await expect(clock.run(waiting)).rejects.toThrow(
      new DeadlineReached('Asked to stop before the next request.'),
    );
    await stopping;
    expect(clock.elapsed()).toBe(SECOND);
    await expect(budget.take({ ...POLL, signal: stop.signal })).rejects.toThrow('Asked to stop');
  });
});
