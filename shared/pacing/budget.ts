// The requests that may be sent with one token, booked in the state that all its holders share. A slot is booked before
// it is used, used once the store's clock has surely reached it, and void once that clock may have passed it for too
// long. If its holder dies, a booked slot is lost, never used twice. One write books several slots.
import { type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import type { BudgetState } from '../ports.ts';
import {
  BOOKED_AHEAD,
  bookSlots,
  type Pause,
  type Purpose,
  pausedFor,
  ratesFor,
  UNUSED_BUDGET,
} from './budget-state.ts';
import { BudgetUnavailable, DeadlineReached } from './errors.ts';
import { SLOT_LATENESS } from './gcra.ts';
import { createStoredBudget, type StoredBudgetOptions } from './stored-budget.ts';

/** The most void slots of one request. With more, the store answers more slowly than slots stay valid. */
const MAX_VOID_SLOTS = 5;
/** A longer wait is interrupted, to check whether anything has changed. */
const LONGEST_WAIT = MINUTE;

export interface BudgetOptions extends StoredBudgetOptions {
  /** A whole number from 1; with 1, nothing can be reserved for reconciliation. */
  readonly requestsPerMinute: number;
}

export interface Want {
  readonly purpose: Purpose;
  /** Requests that will likely be sent in the next two seconds, including this one: they are booked together. */
  readonly expect: number;
  /** By {@link Clock.elapsed}: nothing may be sent after this moment. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Work that may come due while this waits. It may take slots of the same budget. */
  readonly meanwhile?: Meanwhile | undefined;
}

/** Work to do as soon as it is due, in the middle of a wait. */
export interface Meanwhile {
  /** By {@link Clock.elapsed}; infinite if it is not known to come due. */
  dueAt(): number;
  /** Does what is due. Its errors end the wait. */
  run(): Promise<void>;
}

export interface Budget {
  readonly tokenHash: string;
  /**
   * Resolves when one request may be sent, which must happen at once.
   *
   * @throws {DeadlineReached} as soon as it is known that this will not be before the deadline, or on the signal
   * @throws {BudgetUnavailable} if nothing can be booked; and any error of the store or of the work meanwhile
   */
  take(want: Want): Promise<void>;
  /** Makes all holders pause. */
  pause(wish: PauseWish): Promise<void>;
}

export interface PauseWish extends Omit<Pause, 'sentAt'> {
  /** By {@link Clock.elapsed}: when the request was sent whose answer asked for the pause. */
  readonly sentElapsed: number;
}

interface Held {
  readonly slot: Instant;
  /** How many pauses there had been when it was booked: a later one voids it, whether its write succeeded or not. */
  readonly pauses: number;
}

export function createBudget(options: BudgetOptions): Budget {
  const { clock, tokenHash } = options;
  const rates = ratesFor(options.requestsPerMinute);
  const stored = createStoredBudget(options);
  const oneByOne = createQueue();
  const held: Record<Purpose, readonly Held[]> = { poll: [], covering: [], reconciliation: [] };
  let pauses = 0;

  async function take(want: Want): Promise<void> {
    for (let voided = 0; voided < MAX_VOID_SLOTS; voided += 1) {
      const booked = await obtain(want);
      while (isValid(booked) && stored.atLeast() < booked.slot) await waitFor(booked.slot, booked.slot, want);
      if (isValid(booked)) return;
    }
    throw new BudgetUnavailable(
      'Booked requests expire before they can be sent, because the store of the budget is slow. The next tick tries again.',
    );
  }

  async function obtain(want: Want): Promise<Held> {
    for (;;) {
      // One by one, so that requests of one process do not compete at the store.
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

  /** Returns the first booked slot or, if none could be booked, the time of the next one. */
  async function book(want: Want): Promise<Held | Instant> {
    const { purpose, expect } = want;
    const asOf = pauses;
    const { slots, next } = await stored.update((state) => {
      const booking = bookSlots(rates, state, stored.atLeast(), { purpose, count: Math.max(1, expect) });
      // Leave slots that can't be used to others. A state without new slots may have been repaired, and is written.
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
      // A slot further ahead than any is booked: the store's clock has gone back since.
      slot <= stored.atLeast() + BOOKED_AHEAD.poll &&
      slot + SLOT_LATENESS >= stored.atMost()
    );
  }

  /** Waits until the store's clock has surely reached a moment, or for a minute, or until other work is done meanwhile. */
  async function waitFor(slot: Instant, moment: Instant, want: Want): Promise<void> {
    stopIfOver(want, slot);
    const { signal, meanwhile } = want;
    const untilDue = meanwhile === undefined ? LONGEST_WAIT : meanwhile.dueAt() - clock.elapsed();
    const wait = Math.min(LONGEST_WAIT, moment - stored.atLeast(), untilDue);
    await clock.sleep(Math.max(1, Math.ceil(wait / MILLISECOND)), signal);
    stopIfOver(want, slot);
    if (meanwhile !== undefined && clock.elapsed() >= meanwhile.dueAt()) await meanwhile.run();
  }

  /** @param slot the caller's slot; by default the earliest slot possible now */
  function stopIfOver({ deadline, signal }: Want, slot = stored.atLeast()): void {
    if (signal?.aborted === true) throw new DeadlineReached('Asked to stop before the next request.');
    const wait = Math.max(0, slot - stored.atLeast());
    if (clock.elapsed() + wait <= deadline) return;
    throw new DeadlineReached('The next request would come after the deadline.');
  }

  async function pause({ sentElapsed, ...wish }: PauseWish): Promise<void> {
    pauses += 1;
    const paused = (state: BudgetState) =>
      pausedFor(rates, state, stored.atMost(), { ...wish, sentAt: stored.atLeast(sentElapsed) });
    try {
      await oneByOne(() => stored.update((state) => ({ state: paused(state) })));
    } catch (error) {
      stored.keepPause(paused(UNUSED_BUDGET).pausedUntil);
      throw error;
    }
  }

  return { tokenHash, take, pause };
}

/** Runs the given work one after the other. */
function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
