// Bookings of a budget of 240 requests: 192 common ones with a burst of 19, and 48 for reconciliation with a burst of 4.
import { type Instant, MILLISECOND } from '../../../shared/instant.ts';
import { bookSlots, type Purpose, ratesFor, UNUSED_BUDGET } from '../../../shared/pacing/budget-state.ts';
import type { BudgetState } from '../../../shared/ports.ts';

export const NOW: Instant = Date.UTC(2026, 10, 20) * MILLISECOND;
export const RATES = ratesFor(240);
export const COMMON = { interval: 367_817, tolerance: 18 * 367_817 };
export const RESERVED = { interval: 1_422_223, tolerance: 3 * 1_422_223 };
/** How far a booking may move an arrival, at an eighth of the rate. */
export const REACH = RESERVED.tolerance + 8 * RESERVED.interval;

export function stateOf(changes: Partial<BudgetState> = {}): BudgetState {
  return { ...UNUSED_BUDGET, ...changes };
}

export function book(purpose: Purpose, count: number, changes: Partial<BudgetState> = {}, now = NOW) {
  return bookSlots(RATES, stateOf(changes), now, { purpose, count });
}
