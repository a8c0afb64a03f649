// The requests that may be sent with one token, booked in the state that all its holders share. A slot is booked
// before it is used, used when the store's clock has surely reached it, and void when it may have passed it for too
// long; what was booked by one who then died is lost, never used twice. Several are booked with one write.
import { type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import { BOOKED_AHEAD, bookSlots, type Pause, type Purpose, pausedFor, ratesFor } from './budget-state.ts';
import { BudgetUnavailable, DeadlineReached } from './errors.ts';
import { SLOT_LATENESS } from './gcra.ts';
import { createStoredBudget, type StoredBudgetOptions } from './stored-budget.ts';

/** Slots of one request that were void once it could use them: the store answers more slowly than they last. */
const MAX_VOID_SLOTS = 5;
/** A longer wait is interrupted, to see whether things have changed. */
const LONGEST_WAIT = MINUTE;

export interface BudgetOptions extends StoredBudgetOptions {
  /** A whole number from 1; of 1 nothing can be set aside for reconciliation. */
  readonly requestsPerMinute: number;
}

export interface Want {
  readonly purpose: Purpose;
  /** Requests that will likely be sent in the next two seconds, this one included: they are booked together. */
  readonly expect: number;
  /** By {@link Clock.elapsed}: after this moment nothing is to be sent. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Budget {
  readonly tokenHash: string;
  /**
   * Resolves when one request may be sent, which must be done at once.
   *
   * @throws {DeadlineReached} as soon as it is known that this will not be before the deadline, or on the signal.
   * @throws {BudgetUnavailable} when nothing can be booked; and whatever the store throws.
   */
  take(want: Want): Promise<void>;
  /** Makes all holders pause. */
  pause(wish: PauseWish): Promise<void>;
}

export interface PauseWish extends Omit<Pause, 'sentAt'> {
  /** By {@link Clock.elapsed}: when the request was sent that was answered with this wish. */
  readonly sentElapsed: number;
}

export function createBudget(options: BudgetOptions): Budget {
  const { clock, tokenHash } = options;
  const rates = ratesFor(options.requestsPerMinute);
  const stored = createStoredBudget(options);
  const oneByOne = createQueue();
  const held: Record<Purpose, Instant[]> = { poll: [], reconciliation: [] };
  /** By elapsed time: a pause holds here from the moment it is asked for, written or not. */
  let pausedUntil = 0;

  async function take(want: Want): Promise<void> {
    for (let voided = 0; voided < MAX_VOID_SLOTS; voided += 1) {
      const slot = await obtain(want);
      while (mayBeUsed(slot) && stored.atLeast() < slot) await waitFor(slot, slot, want);
      if (mayBeUsed(slot)) return;
    }
    throw new BudgetUnavailable(
      'What is booked of the budget is void before it can be used: its store is slow.',
    );
  }

  async function obtain(want: Want): Promise<Instant> {
    for (;;) {
      // One by one, so that requests of one process do not come into each other's way at the store.
      const { slot, next } = await oneByOne(async () => takeHeld(want) ?? (await book(want)));
      if (slot !== undefined) return slot;
      if (next !== undefined) await waitFor(next, next - BOOKED_AHEAD[want.purpose], want);
    }
  }

  function takeHeld(want: Want): { readonly slot: Instant; readonly next?: undefined } | undefined {
    stopIfOver(want);
    held[want.purpose] = held[want.purpose].filter(mayBeUsed);
    const [slot, ...others] = held[want.purpose];
    if (slot === undefined) return undefined;
    stopIfOver(want, slot);
    held[want.purpose] = others;
    return { slot };
  }

  async function book(want: Want): Promise<{ readonly slot?: Instant; readonly next?: Instant }> {
    const { purpose, expect } = want;
    const { slots, next } = await stored.update(
      (state) => bookSlots(rates, state, stored.atLeast(), { purpose, count: Math.max(1, expect) }),
      () => stopIfOver(want),
    );
    const [slot, ...others] = slots;
    held[purpose] = others;
    return { ...(slot === undefined ? {} : { slot }), ...(next === undefined ? {} : { next }) };
  }

  /** A slot further ahead than any is booked is of a time that the store's clock has gone back from. */
  function mayBeUsed(slot: Instant): boolean {
    return (
      clock.elapsed() >= pausedUntil &&
      slot >= stored.pausedUntil() &&
      slot <= stored.atLeast() + BOOKED_AHEAD.poll &&
      slot + SLOT_LATENESS >= stored.atMost()
    );
  }

  /** Waits until the store's clock has surely reached a moment, or for a minute. */
  async function waitFor(slot: Instant, moment: Instant, want: Want): Promise<void> {
    stopIfOver(want, slot);
    const wait = Math.min(LONGEST_WAIT, moment - stored.atLeast());
    await clock.sleep(Math.max(1, Math.ceil(wait / MILLISECOND)), want.signal);
    stopIfOver(want, slot);
  }

  /** @param slot that the caller is to have; where there is none yet, what can be had now. */
  function stopIfOver({ deadline, signal }: Want, slot = stored.atLeast()): void {
    if (signal?.aborted === true) throw new DeadlineReached('Asked to stop before the next request.');
    const wait = Math.max(0, slot - stored.atLeast());
    if (clock.elapsed() + wait <= deadline) return;
    throw new DeadlineReached('The next request would come after the deadline.');
  }

  async function pause({ sentElapsed, ...wish }: PauseWish): Promise<void> {
    pausedUntil = Math.max(pausedUntil, clock.elapsed() + wish.duration);
    await oneByOne(() =>
      stored.update((state) => {
        const sentAt = stored.atLeast(sentElapsed);
        return { state: pausedFor(rates, state, stored.atMost(), { ...wish, sentAt }) };
      }),
    );
  }

  return { tokenHash, take, pause };
}

/** Runs what it is given one after the other. */
function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
