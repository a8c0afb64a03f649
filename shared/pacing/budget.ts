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

interface Held {
  readonly slot: Instant;
  /** How many pauses had been asked for when it was booked: a later one voids it, written or not. */
  readonly pauses: number;
}

export function createBudget(options: BudgetOptions): Budget {
  const { clock, tokenHash } = options;
  const rates = ratesFor(options.requestsPerMinute);
  const stored = createStoredBudget(options);
  const oneByOne = createQueue();
  const held: Record<Purpose, readonly Held[]> = { poll: [], reconciliation: [] };
  let pauses = 0;

  async function take(want: Want): Promise<void> {
    for (let voided = 0; voided < MAX_VOID_SLOTS; voided += 1) {
      const booked = await obtain(want);
      while (isValid(booked) && stored.atLeast() < booked.slot) await waitFor(booked.slot, booked.slot, want);
      if (isValid(booked)) return;
    }
    throw new BudgetUnavailable(
      'What is booked of the budget is void before it can be used: its store is slow.',
    );
  }

  async function obtain(want: Want): Promise<Held> {
    for (;;) {
      // One by one, so that requests of one process do not come into each other's way at the store.
      const booked = await oneByOne(async () => takeHeld(want) ?? (await book(want)));
      if (typeof booked !== 'number') return booked;
      await waitFor(booked, booked - BOOKED_AHEAD[want.purpose], want);
    }
  }

  function takeHeld(want: Want): Held | undefined {
    stopIfOver(want);
    const [first, ...others] = held[want.purpose].filter(isValid);
    if (first !== undefined) stopIfOver(want, first.slot);
    held[want.purpose] = others;
    return first;
  }

  /** Answers the first of the slots booked; where none could be, when there will be one. */
  async function book(want: Want): Promise<Held | Instant> {
    const { purpose, expect } = want;
    const asOf = pauses;
    const { slots, next } = await stored.update((state) => {
      const booking = bookSlots(rates, state, stored.atLeast(), { purpose, count: Math.max(1, expect) });
      // What can't be used is left to others. A state without slots may have been mended, and is written.
      stopIfOver(want, booking.slots[0]);
      return booking;
    });
    const [first, ...others] = slots.map((slot) => ({ slot, pauses: asOf }));
    held[purpose] = others;
    return first ?? next;
  }

  function isValid({ slot, pauses: asOf }: Held): boolean {
    return (
      asOf === pauses &&
      slot >= stored.pausedUntil() &&
      // One further ahead than any is booked is of a time that the store's clock has gone back from.
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
    pauses += 1;
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
