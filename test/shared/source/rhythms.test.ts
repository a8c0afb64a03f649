// How often lanes read. Pure.
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  earlier,
  hasFresh,
  inRhythm,
  isJoined,
  lateRhythm,
  nextSlot,
  type Pace,
  promisedRhythm,
  timeOfTwoWalks,
  walkRhythm,
} from '../../../shared/source/rhythms.ts';
import { aState, lanesWith } from '../a-state.ts';

const PACE: Pace = {
  ...{ intervalMs: 60_000, lookbackMs: 300_000, reconcileMs: undefined },
  ...{ requestsPerMinute: 240, walkShare: 0.1 },
};

const often = { ...PACE, intervalMs: 5_000 };
const short = { ...often, lookbackMs: 60_000 };
const rare = { ...PACE, intervalMs: 300_000 };

describe('the lane `late`', () => {
  it.each([
    ['each minute', often, 0, MINUTE],
    ['in a fifth of a short lookback', short, 0, 12 * SECOND],
    ['no more often than polls', rare, 0, 5 * MINUTE],
    ['each minute while its requests are a fifth of the budget', often, 48, MINUTE],
    ['less often if they are more', often, 60, 1.25 * MINUTE],
    ['by the requests of a small budget', { ...often, requestsPerMinute: 30 }, 12, 2 * MINUTE],
    ['in half of the lookback, however many they are', often, 10_000, 2.5 * MINUTE],
    ['in half of a short lookback', short, 10_000, 30 * SECOND],
    ['no more often than polls, however many', rare, 10_000, 5 * MINUTE],
  ])('is due %s', (_, pace, requests, rhythm) => {
    expect(lateRhythm(pace, requests)).toBe(rhythm);
  });
});

describe('the lane `fresh`', () => {
  it.each([
    ['exists where polls are more frequent than `late`', often, true],
    ['does not where both would read the same', PACE, false],
    ['does not where polls are rarer', rare, false],
    ['exists up to a fifth of a short lookback', { ...short, intervalMs: 11_000 }, true],
    ['does not from there on', { ...short, intervalMs: 12_000 }, false],
  ])('%s', (_, pace, exists) => {
    expect(hasFresh(pace, 0)).toBe(exists);
  });
});

const set = (reconcileMs: number) => ({ ...PACE, reconcileMs });

describe('a walk', () => {
  it.each([
    ['over recent groups each ten minutes', 'recent', undefined, 10 * MINUTE],
    ['over recent groups as the settings say', 'recent', 60_000, MINUTE],
    ['over older groups each twelve hours', 'older', 60_000, 12 * HOUR],
  ] as const)('is promised %s', (_, name, reconcileMs, rhythm) => {
    expect(promisedRhythm(name, { reconcileMs })).toBe(rhythm);
  });

  it.each([
    ['all groups, with the next poll if it is cheap', 'recent', true, 4, PACE, MINUTE],
    ['all groups, with the next of frequent polls', 'recent', true, 2, often, 5 * SECOND],
    ['all groups, once its requests are a tenth of the budget', 'recent', true, 72, PACE, 3 * MINUTE],
    [
      'all groups, once they are the share of the settings',
      'recent',
      true,
      72,
      { ...PACE, walkShare: 0.25 },
      1.2 * MINUTE,
    ],
    ['all groups, in ten minutes at the latest', 'recent', true, 9_999, PACE, 10 * MINUTE],
    ['all groups, in the rhythm of the settings', 'recent', true, 4, set(60_000), MINUTE],
    ['all groups, in a long rhythm of the settings', 'recent', true, 4, set(14_400_000), 4 * HOUR],
    ['recent groups alone, in ten minutes', 'recent', false, 4, PACE, 10 * MINUTE],
    [
      'older groups, once their requests are a fiftieth of the budget',
      'older',
      false,
      144,
      PACE,
      30 * MINUTE,
    ],
    ['older groups, also where the settings give a rhythm', 'older', false, 144, set(60_000), 30 * MINUTE],
    ['older groups, in twelve hours at the latest', 'older', false, 99_999, PACE, 12 * HOUR],
    ['older groups, no more often than polls', 'older', false, 4, rare, 5 * MINUTE],
  ] as const)('is due again for %s', (_, name, isWhole, requests, pace, rhythm) => {
    expect(walkRhythm(name, isWhole, requests, pace)).toBeCloseTo(rhythm, 0);
  });

  it('is due at a whole microsecond whatever the budget', () => {
    const rhythm = walkRhythm('recent', true, 2, { ...PACE, requestsPerMinute: 85, intervalMs: 1_000 });

    expect(rhythm).toBe(Math.ceil((2 / 8.5) * MINUTE));
  });

  const knowing = (groups: number) =>
    aState({
      ...{ baselineAt: 1, room: { since: 0, rows: 100, groups: 100, planned: 100, bytes: 0, rowBytes: 0 } },
      lanes: lanesWith({ recent: { groups: 100 }, older: { groups: groups - 100 } }),
    });

  it.each([
    // Pieces of 80 groups, a tenth of 60 requests a minute, ten minutes.
    ['ten minutes', { ...PACE, requestsPerMinute: 60 }, 4_799, 4_801],
    ['a rhythm of the settings', { ...set(3_600_000), requestsPerMinute: 60 }, 28_799, 28_801],
    ['ten minutes by a larger share', { ...PACE, requestsPerMinute: 60, walkShare: 0.25 }, 11_999, 12_001],
  ])('reads all groups where its pieces are cheap within %s', (_, pace, few, many) => {
    expect([few, many].map((groups) => isJoined(knowing(groups), pace))).toEqual([true, false]);
  });

  it('reads all groups before the baseline', () => {
    expect(isJoined({ ...knowing(1_000_000), baselineAt: undefined }, PACE)).toBe(true);
  });

  it.each([
    ['two rhythms', PACE, 300, 20 * MINUTE],
    ['two rhythms of the settings', set(6 * 3_600_000), 300, 12 * HOUR],
    ['the time in which the requests of two are an eighth of the budget', PACE, 3_000, 200 * MINUTE],
  ])('is judged within %s', (_, pace, requests, time) => {
    expect(timeOfTwoWalks({ lanes: lanesWith({ recent: { requests } }) }, pace)).toBe(time);
  });
});

describe('a lane in a rhythm', () => {
  it.each([
    ['ten minutes', 10 * MINUTE, 5 * SECOND],
    ['a minute', MINUTE, 5 * SECOND],
    ['twelve seconds', 12 * SECOND, 1.2 * SECOND],
  ])('of %s is due a little early, so that a tick that comes early is used', (_, rhythm, early) => {
    expect(inRhythm(HOUR, rhythm, HOUR - SECOND)).toBe(HOUR - early);
    expect(earlier(rhythm)).toBe(early);
  });

  it('is due at once if its moment comes from a clock that was ahead', () => {
    const [latest, now] = [11 * MINUTE + 5 * SECOND, MINUTE];

    expect(inRhythm(latest, 10 * MINUTE, now)).toBe(11 * MINUTE);
    expect(inRhythm(latest + 1, 10 * MINUTE, now)).toBe(now);
  });

  it.each([
    ['in time', MINUTE, 10 * MINUTE, 11 * MINUTE],
    ['as early as it may', MINUTE, 10 * MINUTE - 5 * SECOND, 11 * MINUTE],
    ['earlier', MINUTE, 10 * MINUTE - 5 * SECOND - 1, 10 * MINUTE],
    ['late', MINUTE, 10 * MINUTE + 50 * SECOND, 11 * MINUTE],
    ['slots late, and the missed ones are left out', MINUTE, 14 * MINUTE + SECOND, 15 * MINUTE],
    ['in time, with five seconds', 5 * SECOND, HOUR, HOUR + 5 * SECOND],
    ['late, with five seconds', 5 * SECOND, HOUR + 4.4 * SECOND, HOUR + 5 * SECOND],
    ['early, with five seconds', 5 * SECOND, HOUR + 4.5 * SECOND, HOUR + 10 * SECOND],
  ])('has its next slot, if its round begins %s', (_, rhythm, startedAt, next) => {
    expect(nextSlot(rhythm, startedAt)).toBe(next);
  });

  it.each([
    ['before its own slot', HOUR + 5 * SECOND, HOUR + 15 * SECOND],
    ['in its own slot', HOUR + 15 * SECOND, HOUR + 75 * SECOND],
  ])('lies at its own part of the rhythm, if its round begins %s', (_, startedAt, next) => {
    expect(nextSlot(MINUTE, startedAt, 0.25)).toBe(next);
  });

  it.each([
    ['a minute', MINUTE, 5 * SECOND],
    ['five seconds', 5 * SECOND, SECOND / 2],
  ])('of %s is due once in each slot, also if a round begins as early as it may', (_, rhythm, early) => {
    const [slot, startedAt] = [HOUR, HOUR - early];

    const dueAt = inRhythm(nextSlot(rhythm, startedAt), rhythm, startedAt);

    expect(inRhythm(slot, rhythm, startedAt)).toBe(startedAt);
    expect(dueAt).toBe(slot + rhythm - early);
  });
});
