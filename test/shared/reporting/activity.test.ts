import { describe, expect, test } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { DAY, type Instant, MILLISECOND, MINUTE, parseStamp, SECOND } from '../../../shared/instant.ts';
import {
  addActivity,
  delayMs,
  NO_ACTIVITY,
  savedEvents,
  sentRequests,
} from '../../../shared/reporting/activity.ts';
import { aKey, anEvent } from '../../contract/sample-saves.ts';

const CHANGED_AT = parseStamp('2026-11-20T10:15:02.123456Z')?.instant ?? Number.NaN;
const NOW = CHANGED_AT + 20 * SECOND;
const THIS_MINUTE = parseStamp('2026-11-20T10:15:00Z')?.instant;

interface Change {
  readonly time?: string;
  readonly updated_at?: string;
  readonly observed?: Partial<FeedEvent['data']['observed']>;
}

/** An event of a change at CHANGED_AT. */
function event(sequence: number, { time, updated_at, observed }: Change = {}, group = 7): FeedEvent {
  const made = anEvent(aKey(group), sequence) as Extract<FeedEvent, { type: 'shipment.status_changed' }>;
  const { data } = made;
  return {
    ...made,
    time: time ?? made.time,
    data: {
      ...data,
      return_group: { ...data.return_group, updated_at: updated_at ?? data.return_group.updated_at },
      observed: { ...data.observed, ...observed },
    },
  };
}

const saved = (group: number | 'feed', sequence: number, at: Instant) =>
  savedEvents(group, [event(sequence)], at);
const addAll = (...all: readonly ReturnType<typeof saved>[]) =>
  all.reduce((sum, each) => addActivity(sum, each, NOW), NO_ACTIVITY);

describe('the delay of an event', () => {
  test('is the time from the change to the save', () => {
    expect(delayMs(event(1), CHANGED_AT + 1_500 * MILLISECOND)).toBe(1_500);
  });

  test('is zero if the stamp is ahead of the clock', () => {
    expect(delayMs(event(1), CHANGED_AT - SECOND)).toBe(0);
  });

  test('counts for a known group that only reconciliation found', () => {
    expect(delayMs(event(1, { observed: { through: 'reconciliation' } }), CHANGED_AT + SECOND)).toBe(1_000);
  });

  test.each<[string, Change]>([
    ['that a baseline announces', { observed: { through: 'baseline', after: null } }],
    ['of a group that a walk sees first', { observed: { through: 'reconciliation', after: null } }],
    ['whose time is the reading', { time: '2026-11-20T10:15:03.000000Z' }],
    ['with a stamp without a zone', { updated_at: '2026-11-20T10:15:02.123456' }],
  ])('is unknown for one %s', (_, change) => {
    expect(delayMs(event(1, change), NOW)).toBeUndefined();
  });
});

describe('a minute', () => {
  test('sums requests, events and delays', () => {
    const activity = addAll(
      sentRequests(2, NOW),
      savedEvents(7, [event(1), event(2, { observed: { through: 'baseline' } })], CHANGED_AT + SECOND),
      savedEvents(8, [event(1, {}, 8)], CHANGED_AT + 3 * SECOND),
      sentRequests(1, NOW),
    );

    expect(activity.minutes).toEqual([
      { from: THIS_MINUTE, requests: 3, events: 3, delayed: 2, delaySumMs: 4_000, longestDelayMs: 3_000 },
    ]);
  });

  test('counts no events of the feed itself', () => {
    expect(addAll(saved('feed', 3, NOW)).minutes).toEqual([]);
  });

  test('is kept for an hour, newest first', () => {
    const ages = [61, 60, 59, 1, 0, 30];

    const { minutes } = addAll(...ages.map((age) => sentRequests(1 + age, NOW - age * MINUTE)));

    expect(minutes.map(({ requests }) => requests)).toEqual([1, 2, 31, 60]);
  });

  test('of a clock that was far ahead does not replace those of the last hour', () => {
    const { minutes } = addAll(sentRequests(1, NOW + DAY), sentRequests(2, NOW));

    expect(minutes.map(({ requests }) => requests)).toEqual([2]);
  });
});

describe('the groups that changed last', () => {
  test('are listed once, newest first, with their last number', () => {
    const { recent } = addAll(
      saved(7, 1, NOW),
      saved(8, 4, NOW + SECOND),
      saved(7, 3, NOW + 2 * SECOND + 1),
      saved('feed', 2, NOW - SECOND),
    );

    const ms = NOW - (NOW % MILLISECOND);
    expect(recent).toEqual([
      { group: 7, sequence: 3, savedAt: ms + 2 * SECOND },
      { group: 8, sequence: 4, savedAt: ms + SECOND },
      { group: 'feed', sequence: 2, savedAt: ms - SECOND },
    ]);
  });

  test('are ordered by their saves within a millisecond as well', () => {
    const { recent } = addAll(saved(7, 1, NOW), saved(8, 1, NOW), saved(9, 1, NOW));

    expect(recent.map(({ group }) => group)).toEqual([9, 8, 7]);
  });

  test('do not begin with a group from the future of a wrong clock', () => {
    const { recent } = addAll(saved(7, 1, NOW + DAY), saved(8, 1, NOW));

    expect(recent.map(({ group }) => group)).toEqual([8]);
  });

  test('are fifty at most', () => {
    const { recent } = addAll(...Array.from({ length: 60 }, (_, at) => saved(at, 1, NOW + at * SECOND)));

    expect(recent).toHaveLength(50);
    expect(recent.at(-1)?.group).toBe(10);
  });
});

test('a save without events is no activity', () => {
  expect(savedEvents(7, [], NOW)).toEqual(NO_ACTIVITY);
});
