import { describe, expect, it } from 'vitest';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createServiceClock, type Exchange } from '../../../shared/pacing/service-clock.ts';
import { createVirtualClock, VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { type Answered, exchangeOf, NOON } from './answers-with-dates.ts';

/** An answer that took no time. */
function exchangeAt(now: Instant, date: Instant | undefined): Exchange {
  return { sentElapsed: 0, sentNow: now, receivedElapsed: 0, receivedNow: now, date };
}

describe('the clock of a service', () => {
  it('is the local clock before the first Date', async () => {
    const clock = createVirtualClock();
    const serviceClock = createServiceClock(clock);

    await clock.advance(SECOND);

    expect(serviceClock.now()).toEqual({ atLeast: VIRTUAL_START + SECOND, atMost: VIRTUAL_START + SECOND });
  });

  it('continues from the Dates that it read', async () => {
    const clock = createVirtualClock();
    const serviceClock = createServiceClock(clock);

    const times = serviceClock.read(exchangeAt(clock.now(), NOON));
    await clock.advance(MINUTE);

    expect(times).toEqual({ sentAt: NOON, receivedAt: NOON + SECOND });
    expect(serviceClock.now()).toEqual({ atLeast: NOON + MINUTE, atMost: NOON + MINUTE + SECOND });
  });

  it('uses the Dates of several answers', () => {
    const clock = createVirtualClock();
    const serviceClock = createServiceClock(clock);
    const read = (date: Instant) => serviceClock.read(exchangeAt(clock.now(), date));

    read(NOON);
    read(NOON);
    const times = read(NOON + DAY);

    expect(times).toEqual({ sentAt: NOON, receivedAt: NOON + SECOND });
  });

  it('is known once there is a Date', () => {
    const clock = createVirtualClock();
    const serviceClock = createServiceClock(clock);
    const read = (date: Instant | undefined) => {
      serviceClock.read(exchangeAt(clock.now(), date));
    };

    const known = [serviceClock.isKnown()];
    read(undefined);
    known.push(serviceClock.isKnown());
    read(NOON);
    known.push(serviceClock.isKnown());

    expect(known).toEqual([false, false, true]);
  });

  it('is not known after a Date that spans a suspension', () => {
    const clock = createVirtualClock();
    const serviceClock = createServiceClock(clock);

    serviceClock.read({ ...exchangeAt(clock.now(), NOON), sentNow: clock.now() - 3 * MINUTE });

    expect(serviceClock.isKnown()).toBe(false);
  });
});

describe('the clock of a service is in doubt', () => {
  /** Whether the clock is in doubt, before the first answer and after each of them. */
  function doubts(...answers: readonly Answered[]): boolean[] {
    const serviceClock = createServiceClock(createVirtualClock());
    const before = serviceClock.isDoubtful();
    return [
      before,
      ...answers.map((each) => {
        serviceClock.read(exchangeOf(each));
        return serviceClock.isDoubtful();
      }),
    ];
  }

  const honest = [8, 9, 10].map((at): Answered => ({ at, dateAhead: 0 }));

  it('until the local clock or three Dates that agree confirm it', () => {
    expect(doubts({ at: 8, dateAhead: HOUR })).toEqual([true, false]);
    expect(doubts(...honest)).toEqual([true, true, true, false]);
  });

  it('for at most five answers', () => {
    const dateless = [1, 2, 3, 4, 5].map((at): Answered => ({ at, dateAhead: undefined }));

    expect(doubts(...dateless)).toEqual([true, true, true, true, true, false]);
  });

  it('not after a suspension if the Date moved like the local clock', () => {
    const suspended: Answered = { at: 20, dateAhead: DAY, localAhead: HOUR + DAY };

    expect(doubts(...honest, suspended).at(-1)).toBe(false);
  });

  it('not after the local clock was set if the Date moved like the elapsed time', () => {
    const set: Answered = { at: 20, dateAhead: 0, localAhead: HOUR + DAY };

    expect(doubts(...honest, set).at(-1)).toBe(false);
  });

  it('after either if the Date moved like neither', () => {
    const neither: Answered = { at: 20, dateAhead: 12 * HOUR, localAhead: HOUR + DAY };

    expect(doubts(...honest, neither).at(-1)).toBe(true);
  });

  it('until three Dates agree if the Date before was itself in doubt', () => {
    const wrong: Answered = { at: 8, dateAhead: 7 * HOUR };
    const localAhead = HOUR + 2 * MINUTE;
    const after = [0, 0, 7 * HOUR, 0].map(
      (dateAhead, index): Answered => ({ at: 9 + index, dateAhead, localAhead }),
    );

    expect(doubts(wrong, ...after)).toEqual([true, true, true, true, true, false]);
  });

  it.each([
    ['agreed', honest],
    ['were none yet', [1, 2, 3, 4].map((at): Answered => ({ at, dateAhead: undefined }))],
  ])('after an answer that spans a suspension if the Dates before it %s', (_, before) => {
    const serviceClock = createServiceClock(createVirtualClock());
    const exchange = exchangeOf({ at: 11, dateAhead: 0 });
    for (const each of before) serviceClock.read(exchangeOf(each));

    serviceClock.read({ ...exchange, receivedNow: exchange.receivedNow + 3 * MINUTE });

    expect(serviceClock.isDoubtful()).toBe(true);
  });

  it('not longer after a suspension or a set clock if the service sends no time', () => {
    const dateless = [1, 2, 3, 4].map((at): Answered => ({ at, dateAhead: undefined }));
    const parted: Answered = { at: 5, dateAhead: undefined, localAhead: HOUR + DAY };

    expect(doubts(...dateless, parted)).toEqual([true, true, true, true, true, false]);
  });

  it('not longer after an answer that spans a suspension if the service sends no time', () => {
    const serviceClock = createServiceClock(createVirtualClock());
    const exchange = exchangeOf({ at: 6, dateAhead: undefined });
    for (const at of [1, 2, 3, 4, 5]) serviceClock.read(exchangeOf({ at, dateAhead: undefined }));

    serviceClock.read({ ...exchange, receivedNow: exchange.receivedNow + 3 * MINUTE });

    expect(serviceClock.isDoubtful()).toBe(false);
  });
});
