import { describe, expect, it } from 'vitest';
import { DAY, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import { BudgetUnavailable, DeadlineReached } from '../../../shared/pacing/errors.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { BURST, INTERVAL, POLL, RECONCILIATION, setUp, times } from './one-budget.ts';

describe('taking a request from the budget', () => {
  it('is free at once where nothing was sent lately', async () => {
    const { clock, store, budget } = setUp();

    await clock.run(budget.take(POLL));

    expect(clock.elapsed()).toBe(0);
    expect(store.state()).toEqual({ ...UNUSED_BUDGET, theoreticalArrival: VIRTUAL_START + INTERVAL });
  });

  it('books with one write what is expected to be needed', async () => {
    const { clock, store, budget } = setUp();

    await clock.run(times(3, () => budget.take({ ...POLL, expect: 3 })));
    const { saves } = store.calls;
    await clock.run(budget.take({ ...POLL, expect: 3 }));

    expect([saves, store.calls.saves]).toEqual([1, 2]);
    expect(store.state()?.theoreticalArrival).toBe(VIRTUAL_START + 6 * INTERVAL);
  });

  it.each([0, -3])('books one where %s are expected', async (expected) => {
    const { clock, store, budget } = setUp();

    await clock.run(budget.take({ ...POLL, expect: expected }));

    expect(store.state()?.theoreticalArrival).toBe(VIRTUAL_START + INTERVAL);
  });

  it('waits for the time of its slot, to the next millisecond', async () => {
    const { clock, budget } = setUp();

    await clock.run(times(BURST, () => budget.take({ ...POLL, expect: BURST + 2 })));
    const after = [clock.elapsed()];
    for (const _ of [1, 2]) {
      await clock.run(budget.take(POLL));
      after.push(clock.elapsed());
    }

    expect(after).toEqual([0, 368 * MILLISECOND, 736 * MILLISECOND]);
  });

  it('waits for what can not be booked yet, and books it as soon as it can be', async () => {
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

  it('waits for reconciliation the same way, less far ahead', async () => {
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

  it("is never before the store's clock has surely reached the slot", async () => {
    const { clock, budgetOf } = setUp({ requestsPerMinute: 2 });
    await clock.run(budgetOf().take(POLL));

    // Who comes at 1.9 s is told 1 s, and may take the store to be no further.
    await clock.advance(1_900 * MILLISECOND);
    const machine = clock.machine({ ahead: DAY });
    await clock.run(budgetOf({ clock: machine }).take(POLL));

    // The answer at the time of booking, 59 s and 0.9 s late, told no better.
    expect(clock.elapsed()).toBeGreaterThanOrEqual(64_001 * MILLISECOND);
    expect(clock.elapsed()).toBeLessThan(65 * SECOND);
  });

  it('keeps what is booked for polls apart from what is for reconciliation', async () => {
    const { clock, store, budget } = setUp();

    await clock.run(budget.take({ ...POLL, expect: 2 }));
    await clock.run(budget.take({ ...RECONCILIATION, expect: 2 }));
    await clock.run(budget.take(POLL));
    await clock.run(budget.take(RECONCILIATION));

    expect(store.calls.saves).toBe(2);
  });

  it('does not get into its own way', async () => {
    const { clock, store, budget } = setUp({ store: { latencyMs: () => 5 } });

    await clock.run(Promise.all([1, 2, 3, 4].map(() => budget.take(POLL))));
    await clock.run(Promise.all([1, 2, 3, 4].map(() => budget.take({ ...POLL, expect: 4 }))));

    expect(store.calls).toEqual({ loads: 5, saves: 5, conflicts: 0 });
  });

  it('goes on after the store failed once', async () => {
    const faults = ['lost', undefined] as const;
    let calls = 0;
    const { clock, budget } = setUp({ store: { fault: () => faults[calls++] } });

    const both = Promise.allSettled([budget.take(POLL), budget.take(POLL)]);

    const [first, second] = await clock.run(both);
    expect(first).toMatchObject({ status: 'rejected', reason: new Error('The save was lost on its way.') });
    expect(second).toEqual({ status: 'fulfilled', value: undefined });
  });

  it('refuses a budget that is none', () => {
    expect(() => setUp({ requestsPerMinute: 0 })).toThrow(RangeError);
  });

  it('tells whose budget it is', () => {
    expect(setUp().budget.tokenHash).toBe('a');
  });
});

describe('a slot that is not used in time', () => {
  it('can still be used while the store is at most three seconds past it', async () => {
    const { clock, store, budget } = setUp();
    await clock.run(budget.take({ ...POLL, expect: 2 }));

    // The store may be a second further than it tells.
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

  it('is void when the machine was suspended meanwhile', async () => {
    const { clock, store, budgetOf } = setUp();
    const machine = clock.machine();
    const budget = budgetOf({ budgets: store.seenBy(machine), clock: machine });
    await clock.run(budget.take({ ...POLL, expect: 2 }));

    await clock.advance(MINUTE);
    machine.suspend(MINUTE);
    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(2);
  });

  it('makes the budget unavailable if it is so five times in a row', async () => {
    const { clock, store, budget } = setUp({ store: { latencyMs: () => 1_000 } });

    const taken = budget.take(POLL);

    const error = await clock.run(taken).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BudgetUnavailable);
    expect(String(error)).toBe(
      'BudgetUnavailable: What is booked of the budget is void before it can be used: its store is slow.',
    );
    expect(store.calls).toEqual({ loads: 5, saves: 5, conflicts: 0 });
  });

  it('is replaced if it is so four times', async () => {
    let calls = 0;
    // Load and save, there and back: the first four times 4 s, after that at once.
    const { clock, store, budget } = setUp({ store: { latencyMs: () => (calls++ < 16 ? 1_000 : 0) } });

    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(5);
  });
});

describe('the deadline', () => {
  it('that has passed ends the matter before the store is asked', async () => {
    const { clock, store, budget } = setUp();
    await clock.advance(SECOND);

    const taken = budget.take({ ...POLL, deadline: SECOND - 1 });

    await expect(clock.run(taken)).rejects.toThrow(
      new DeadlineReached('The next request would come after the deadline.'),
    );
    expect(store.calls.loads).toBe(0);
  });

  it('may be the very moment of sending', async () => {
    const { clock, budget } = setUp();
    await clock.advance(SECOND);

    await clock.run(budget.take({ ...POLL, deadline: SECOND }));

    expect(clock.elapsed()).toBe(SECOND);
  });

  it.each([
    { name: 'booked', slotAt: INTERVAL, requestsPerMinute: 240, taken: BURST },
    { name: 'not booked yet', slotAt: 64_000_001, requestsPerMinute: 2, taken: 1 },
  ])('before a slot that is $name is told at once', async ({ slotAt, requestsPerMinute, taken }) => {
    const { clock, budget } = setUp({ requestsPerMinute });
    await clock.run(times(taken, () => budget.take(POLL)));

    const early = budget.take({ ...POLL, deadline: slotAt - 1 });
    await expect(clock.run(early)).rejects.toThrow(DeadlineReached);
    const reportedAt = clock.elapsed();
    // The slot is awaited in whole milliseconds, and the store's time known to one.
    await clock.run(budget.take({ ...POLL, deadline: slotAt + 2 * MILLISECOND }));

    expect(reportedAt).toBe(0);
  });

  it('of one leaves the slot to another who has more time', async () => {
    const { clock, store, budget } = setUp();
    await clock.run(times(BURST, () => budget.take({ ...POLL, expect: BURST + 1 })));

    await expect(clock.run(budget.take({ ...POLL, deadline: 1 }))).rejects.toThrow(DeadlineReached);
    await clock.run(budget.take(POLL));

    expect(store.calls.saves).toBe(1);
  });

  it('that passes while the store is contended ends the matter', async () => {
    const { clock, store, budgetOf } = setUp();
    const seen = store.seenBy(clock);
    const budgets = { ...seen, save: async () => 'conflict' as const };

    const taken = budgetOf({ budgets }).take({ ...POLL, deadline: 20 * MILLISECOND });

    await expect(clock.run(taken)).rejects.toThrow(DeadlineReached);
    expect(clock.elapsed()).toBe(35 * MILLISECOND);
  });

  it('is not awaited by who is asked to stop', async () => {
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
