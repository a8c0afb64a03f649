import { describe, expect, it } from 'vitest';
import { DAY, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  readStoreClock,
  type StoreAnswer,
  type StoreClock,
  storeAtLeast,
  storeAtMost,
} from '../../../shared/pacing/store-clock.ts';

const NOON = Date.UTC(2026, 10, 20, 12) * MILLISECOND;

/** An answer with a store time of `second` seconds past noon, by a local clock that is an hour slow. */
function answerAt(second: number, elapsed: { sent: number; received: number }, localAhead = 0): StoreAnswer {
  return {
    storeTime: NOON + second * SECOND,
    sentElapsed: elapsed.sent * MILLISECOND,
    receivedElapsed: elapsed.received * MILLISECOND,
    receivedNow: NOON - 60 * MINUTE + elapsed.received * MILLISECOND + localAhead,
  };
}

function readAll(...answers: readonly StoreAnswer[]): { clock: StoreClock; jumps: number[] } {
  let clock: StoreClock | undefined;
  const jumps: number[] = [];
  for (const answer of answers) {
    const reading = readStoreClock(clock, answer);
    clock = reading.clock;
    jumps.push(reading.jump);
  }
  return { clock: clock!, jumps };
}

describe("the store's time", () => {
  it('is at least the time of the answer at its receipt, and less than a second more at its request', () => {
    const { clock, jumps } = readAll(answerAt(5, { sent: 100, received: 140 }));

    expect(storeAtLeast(clock, 140 * MILLISECOND)).toBe(NOON + 5 * SECOND);
    expect(storeAtMost(clock, 100 * MILLISECOND, NOON - 60 * MINUTE + 100 * MILLISECOND)).toBe(
      NOON + 6 * SECOND,
    );
    expect(jumps).toEqual([0]);
  });

  it('continues by the elapsed time', () => {
    const { clock } = readAll(answerAt(5, { sent: 100, received: 140 }));

    expect(storeAtLeast(clock, 2_140 * MILLISECOND)).toBe(NOON + 7 * SECOND);
    expect(storeAtMost(clock, 2_100 * MILLISECOND, NOON - 60 * MINUTE + 2_100 * MILLISECOND)).toBe(
      NOON + 8 * SECOND,
    );
  });

  it('is known more precisely after the change from one second to the next', () => {
    const { clock } = readAll(
      answerAt(5, { sent: 100, received: 140 }),
      answerAt(6, { sent: 300, received: 340 }),
    );

    // The second answer raises the lower bound by 0.8 s. The first still gives the upper bound, plus 0.2 ms of drift.
    expect(clock.lower).toBe(NOON + 6 * SECOND - 340 * MILLISECOND);
    expect(clock.upper).toBe(NOON + 6 * SECOND - 100 * MILLISECOND + 200);
  });

  it('keeps the better lower bound of an earlier answer, minus a thousandth of the time since', () => {
    const { clock } = readAll(
      answerAt(6, { sent: 300, received: 340 }),
      answerAt(6, { sent: 840, received: 940 }),
    );

    expect(clock.lower).toBe(NOON + 6 * SECOND - 340 * MILLISECOND - 600);
    expect(clock.upper).toBe(NOON + 7 * SECOND - 840 * MILLISECOND);
    expect(clock.elapsed).toBe(940 * MILLISECOND);
  });

  it('can be known to the microsecond without a contradiction', () => {
    const moment = { sent: 100, received: 100 };

    const { clock, jumps } = readAll(answerAt(5, moment), answerAt(6, moment));

    expect(jumps).toEqual([0, 0]);
    expect(clock.lower).toBe(NOON + 6 * SECOND - 100 * MILLISECOND);
    expect(clock.upper).toBe(clock.lower);
  });

  it.each([
    { name: 'forward', second: 5 + 86_400, jump: DAY },
    { name: 'back', second: 5 - 86_400, jump: -DAY },
  ])('that jumps $name is used immediately, and the jump is reported', ({ second, jump }) => {
    const { clock, jumps } = readAll(
      answerAt(5, { sent: 100, received: 140 }),
      answerAt(second, { sent: 100, received: 140 }),
    );

    expect(jumps).toEqual([0, jump]);
    expect(clock.lower).toBe(NOON + second * SECOND - 140 * MILLISECOND);
    expect(clock.upper).toBe(NOON + (second + 1) * SECOND - 100 * MILLISECOND);
  });

  it('may have advanced by the lead of the local clock over the elapsed time', () => {
    const { clock } = readAll(answerAt(5, { sent: 100, received: 140 }));
    const elapsed = 140 * MILLISECOND;
    const local = NOON - 60 * MINUTE + elapsed;

    expect(storeAtMost(clock, elapsed, local + MINUTE)).toBe(NOON + 6 * SECOND + 40 * MILLISECOND + MINUTE);
    expect(storeAtMost(clock, elapsed, local - MINUTE)).toBe(NOON + 6 * SECOND + 40 * MILLISECOND);
    expect(storeAtLeast(clock, elapsed)).toBe(NOON + 5 * SECOND);
  });

  it('is compared with the local clock of the last answer', () => {
    const { clock } = readAll(
      answerAt(5, { sent: 100, received: 140 }),
      answerAt(5, { sent: 100, received: 140 }, DAY),
    );

    const atMost = storeAtMost(clock, 100 * MILLISECOND, NOON - 60 * MINUTE + 100 * MILLISECOND + DAY);

    expect(atMost).toBe(NOON + 6 * SECOND);
  });
});
