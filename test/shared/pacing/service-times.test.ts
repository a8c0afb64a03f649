import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  readServiceTimes,
  type ServiceOffsets,
  type ServiceTimes,
} from '../../../shared/pacing/service-clock.ts';
import { type Answered, exchangeOf, NOON } from './answers-with-dates.ts';

function readAll(answers: readonly Answered[]): { offsets: ServiceOffsets; times: ServiceTimes } {
  let reading: { offsets: ServiceOffsets; times: ServiceTimes } | undefined;
  for (const each of answers) reading = readServiceTimes(reading?.offsets, exchangeOf(each));
  return reading!;
}

describe("the service's times of a request", () => {
  it('are the bounds that the Date of its answer sets', () => {
    const { times } = readAll([{ at: 10.7, dateAhead: 0 }]);

    expect(times).toEqual({
      sentAt: NOON + 10 * SECOND - 40 * MILLISECOND,
      receivedAt: NOON + 11 * SECOND + 40 * MILLISECOND,
    });
  });

  it('are whole microseconds, rounded outwards', () => {
    const exchange = { sentElapsed: 0.3, sentNow: NOON, receivedElapsed: 0.5, receivedNow: NOON, date: NOON };

    const { times } = readServiceTimes(undefined, exchange);

    expect(times).toEqual({ sentAt: NOON - 1, receivedAt: NOON + SECOND + 1 });
  });

  it('are true if most of the last Dates are', () => {
    const skew = fc.constantFrom(undefined, -DAY, -61 * SECOND, 61 * SECOND, DAY);
    const honest = fc.integer({ min: 0, max: 999 });
    fc.assert(
      fc.property(
        fc.array(honest, { minLength: 1, maxLength: 25 }),
        fc.array(skew, { maxLength: 12 }),
        (parts, skews) => {
          // Right and wrong Dates alternate, with a right one first and last, so that most of the last 15 are right.
          const answers = parts.flatMap((part, index): Answered[] => [
            { at: 2 * index + part / 1_000, dateAhead: 0 },
            ...(index < parts.length - 1 && index < skews.length
              ? [{ at: 2 * index + 1 + part / 1_000, dateAhead: skews[index] }]
              : []),
          ]);

          const { times } = readAll(answers);

          const last = answers.at(-1)!.at * SECOND + NOON;
          expect(times.sentAt).toBeLessThanOrEqual(last - 15 * MILLISECOND);
          expect(times.receivedAt).toBeGreaterThanOrEqual(last + 25 * MILLISECOND);
          expect(times.receivedAt - times.sentAt).toBeLessThanOrEqual(2 * SECOND + 80 * MILLISECOND);
        },
      ),
    );
  });

  it('continue by the elapsed time if an answer has no Date', () => {
    const { times } = readAll([
      { at: 10.7, dateAhead: 0 },
      { at: 70.7, dateAhead: undefined },
    ]);

    expect(times).toEqual({
      sentAt: NOON + 70 * SECOND - 40 * MILLISECOND,
      receivedAt: NOON + 71 * SECOND + 40 * MILLISECOND,
    });
  });

  it('are those of the local clock before the first Date', () => {
    const { times } = readAll([{ at: 10, dateAhead: undefined }]);

    expect(times).toEqual({
      sentAt: NOON + HOUR + 10 * SECOND - 15 * MILLISECOND,
      receivedAt: NOON + HOUR + 10 * SECOND + 25 * MILLISECOND,
    });
  });

  it('begin before a suspension during the answer, before the first Date', () => {
    const exchange = exchangeOf({ at: 10, dateAhead: undefined });
    const suspended = { ...exchange, receivedNow: exchange.receivedNow + 3 * MINUTE };

    const { times } = readServiceTimes(undefined, suspended);

    expect(times).toEqual({ sentAt: exchange.sentNow, receivedAt: suspended.receivedNow });
  });

  it('begin with the earlier of two local times if the clock was set back, before the first Date', () => {
    const exchange = exchangeOf({ at: 10, dateAhead: undefined });
    const setBack = { ...exchange, receivedNow: exchange.receivedNow - MINUTE };

    const { times } = readServiceTimes(undefined, setBack);

    expect(times).toEqual({ sentAt: exchange.sentNow - MINUTE, receivedAt: setBack.receivedNow });
  });

  it('follow the Dates that other Dates or the local clock confirm', () => {
    const { times: byDate } = readAll([
      { at: 8, dateAhead: DAY },
      { at: 10, dateAhead: 0 },
      { at: 12, dateAhead: 0 },
      { at: 15, dateAhead: 0 },
    ]);
    const { times: byLocal } = readAll([
      { at: 10, dateAhead: HOUR },
      { at: 20, dateAhead: 0 },
    ]);

    expect(byDate.receivedAt).toBeLessThan(NOON + 20 * SECOND);
    expect(byLocal).toEqual({
      sentAt: NOON + HOUR + 20 * SECOND - 40 * MILLISECOND,
      receivedAt: NOON + HOUR + 21 * SECOND + 40 * MILLISECOND,
    });
  });

  it('span two Dates that contradict each other', () => {
    const { times } = readAll([
      { at: 10, dateAhead: 2 * HOUR },
      { at: 20, dateAhead: 0 },
    ]);

    expect(times).toEqual({
      sentAt: NOON + 20 * SECOND - 40 * MILLISECOND,
      receivedAt: NOON + 2 * HOUR + 21 * SECOND + 40 * MILLISECOND,
    });
  });

  it.each([
    ['8', 'no witness', DAY, 8],
    ['9, if the local clock does not follow', 'the old time', 0, 9],
    ['7, if the local clock agrees', 'the new time', HOUR, 7],
  ])(
    'follow a service that set its clock once %s of 15 answers show it',
    (_, _witness, localAhead, needed) => {
      const before = Array.from({ length: 15 }, (_, at): Answered => ({ at, dateAhead: 0, localAhead }));
      const after = Array.from(
        { length: needed },
        (_, at): Answered => ({
          ...{ at: 15 + at, localAhead },
          dateAhead: HOUR,
        }),
      );

      const { times: earlier } = readAll([...before, ...after.slice(0, -1)]);
      const { times, offsets } = readAll([...before, ...after]);

      const last = 15 + needed - 1;
      expect(earlier.sentAt).toBe(NOON + (last - 1) * SECOND - 40 * MILLISECOND);
      expect(times.sentAt).toBe(NOON + HOUR + last * SECOND - 40 * MILLISECOND);
      expect(offsets.bounds).toHaveLength(15);
    },
  );

  it('ignore Dates from before a suspension or a change of the local clock', () => {
    const before = Array.from({ length: 15 }, (_, at): Answered => ({ at, dateAhead: 0 }));
    const parted = (by: number): Answered => ({ at: 20, dateAhead: MINUTE, localAhead: HOUR + by });

    const little = readAll([...before, parted(2 * SECOND)]);
    const forward = readAll([...before, parted(2 * SECOND + 1)]);
    const back = readAll([...before, parted(-2 * SECOND - 1)]);

    expect(little.offsets.bounds).toHaveLength(15);
    expect(forward.offsets.bounds).toHaveLength(1);
    expect(back.times.sentAt).toBe(NOON + MINUTE + 20 * SECOND - 40 * MILLISECOND);
  });

  it('ignore a Date with an unknown order to a suspension', () => {
    const before = Array.from({ length: 15 }, (_, at): Answered => ({ at, dateAhead: 0 }));
    const { offsets } = readAll(before);
    const exchange = exchangeOf({ at: 20, dateAhead: 0 });
    const suspended = { ...exchange, receivedNow: exchange.receivedNow + 3 * MINUTE };
    const next = exchangeOf({ at: 21, dateAhead: 3 * MINUTE, localAhead: HOUR + 3 * MINUTE });

    const over = readServiceTimes(offsets, suspended);
    const { times } = readServiceTimes(over.offsets, next);

    expect(over.times.sentAt).toBe(NOON + 20 * SECOND - 40 * MILLISECOND);
    expect(times).toEqual({
      sentAt: NOON + 3 * MINUTE + 21 * SECOND - 40 * MILLISECOND,
      receivedAt: NOON + 3 * MINUTE + 22 * SECOND + 40 * MILLISECOND,
    });
  });

  it('are not too early after suspensions that are too short to be detected', () => {
    const suspendedFor = 1.9 * SECOND;
    const before = Array.from({ length: 15 }, (_, at): Answered => ({ at, dateAhead: 0 }));
    const after = [1, 2].map((times): Answered => {
      const lost = times * suspendedFor;
      return { at: 14 + times, dateAhead: lost, localAhead: HOUR + lost };
    });

    const { times } = readAll([...before, ...after]);

    const last = NOON + 16 * SECOND + 2 * suspendedFor;
    expect(times.sentAt).toBeLessThanOrEqual(last - 15 * MILLISECOND);
    expect(times.receivedAt).toBeGreaterThanOrEqual(last + 25 * MILLISECOND);
  });

  it('lose nothing of their width if the local clock is set back by too little to be detected', () => {
    const { times } = readAll([
      { at: 10, dateAhead: 0 },
      { at: 20, dateAhead: undefined, localAhead: HOUR - 1.5 * SECOND },
    ]);

    expect(times).toEqual({
      sentAt: NOON + 20 * SECOND - 40 * MILLISECOND,
      receivedAt: NOON + 21 * SECOND + 40 * MILLISECOND,
    });
  });

  it('include a suspension during the request that is too short to be detected', () => {
    const exchange = exchangeOf({ at: 10.7, dateAhead: 0 });
    const suspended = { ...exchange, receivedNow: exchange.receivedNow + 1.5 * SECOND };

    const { times } = readServiceTimes(undefined, suspended);

    expect(times.sentAt).toBe(NOON + 10 * SECOND - 40 * MILLISECOND - 1.5 * SECOND);
    expect(times.receivedAt).toBe(NOON + 11 * SECOND + 40 * MILLISECOND + 1.5 * SECOND);
  });

  it('follow clocks that drift apart slowly', () => {
    const slowly = Array.from(
      { length: 5 },
      (_, at): Answered => ({ at, dateAhead: 0, localAhead: at * SECOND }),
    );

    expect(readAll(slowly).offsets.bounds).toHaveLength(5);
  });
});
