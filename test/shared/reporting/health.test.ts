import { describe, expect, it } from 'vitest';
import { HOUR, type Instant, MINUTE, SECOND } from '../../../shared/instant.ts';
import { SourceRefused, TokenUnavailable } from '../../../shared/pacing/errors.ts';
import type { Place } from '../../../shared/position/places.ts';
import {
  behindSince,
  describeFailure,
  type Met,
  reportHealth,
  stalledLanes,
} from '../../../shared/reporting/health.ts';
import { InvalidBaseUrlError } from '../../../shared/returns-service/base-url.ts';
import { InvalidTokenError, UnexpectedStatusError } from '../../../shared/returns-service/errors.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aPosition, aState, lanesWith, SETTINGS } from '../a-state.ts';

const NOW = 1_763_700_000_000_000;

/** A state whose rounds were all complete just now. */
function well(changes: Partial<SourceState> = {}): SourceState {
  const [readAt, read] = [NOW - SECOND, { endedAt: NOW }];
  return aState({
    position: aPosition({ readAt: { late: readAt, recent: readAt, older: readAt } }),
    lanes: lanesWith({ late: read, recent: read, older: read }),
    ...{ baselineAt: NOW, ...changes },
  });
}

function report(state: SourceState, met: Partial<Met> = {}): SourceState {
  return reportHealth(state, {
    ...{ settings: SETTINGS, place: '', error: undefined, lastFailure: undefined },
    ...{ hasPolled: false, now: NOW },
    ...met,
  });
}

const codesOf = ({ health }: SourceState) => health.reasons.map(({ code }) => code);
const reportsOf = ({ feedReports }: SourceState) => feedReports.map(({ type }) => type);
const failure = new UnexpectedStatusError('The service answered 503.', {
  status: 503,
  retryAfterMs: undefined,
});
const aside = { groupId: 184_467, reason: 'id is missing', digest: '', since: 0, seenAt: 0 };
const place: Place = { axis: 'updated', from: 0, to: 2 * SECOND, isLeftOut: true, seenAt: 0, reason: '500' };
const crowd: Place = { ...place, isLeftOut: false, reason: 'its bounds' };
const finding = {
  code: 'groups_hidden',
  lane: 'recent',
  count: 2,
  example: 'return group 7',
  seenAt: NOW,
} as const;
const hold = {
  ...{ number: 1, since: 0, phaseSince: 0, count: 25, samples: [] },
  ...{ kind: 'removals' as const, phase: 'holding' as const },
};

it('a source whose failure becomes another one has not recovered before polls were read', () => {
  const refused = report(well(), { error: new SourceRefused('The token is refused.') });

  const failing = report(refused, { lastFailure: failure });
  const read = report(failing, { lastFailure: failure, hasPolled: true });

  expect(codesOf(failing)).toEqual(['refused']);
  expect(reportsOf(failing)).toEqual(['feed.source_degraded']);
  expect(reportsOf(read)).toEqual(['feed.source_degraded', 'feed.source_recovered']);
});

describe('a source that is read completely', () => {
  it('is reported as nothing', () => {
    expect(report(well())).toMatchObject({
      feedReports: [],
      health: { degradedSince: undefined, reasons: [] },
    });
  });
});

describe('a source that is not read completely', () => {
  it.each([
    [
      'a hold',
      { holds: [hold] },
      'removals',
      '25 known return groups, items or shipments are missing at once.',
    ],
    ['a finding', { findings: [finding] }, 'groups_hidden', '(2, for example return group 7)'],
    [
      'many old groups that show at once',
      { holds: [{ ...hold, kind: 'backfill' }] },
      'backfill',
      'At least 25 return groups that were created before the feed began show for the first time.',
    ],
    [
      'places that fail',
      { position: aPosition({ places: [place, place] }) },
      'rows_fail',
      '(2, for example updated at about 1970-01-01T00:00:01.000000Z: 500)',
    ],
    [
      'a crowd that is not proved',
      { position: aPosition({ places: [crowd] }) },
      'crowd_not_proved',
      '(1, for example updated at about 1970-01-01T00:00:01.000000Z: its bounds)',
    ],
    [
      'answers that have all been older than `settle` for an hour',
      { position: aPosition({ agedSince: NOW - HOUR }) },
      'answers_old',
      'for an hour every answer has been older than 60 s',
    ],
    [
      'an unreadable group',
      { setAside: [aside] },
      'unreadable',
      '1 return group is set aside: 184467 (id is missing).',
    ],
  ] as const)('is degraded by %s', (_, changes, code, words) => {
    const state = report(well(changes));

    expect(state.health).toMatchObject({
      degradedSince: NOW,
      reasons: [{ code, message: expect.stringContaining(words) }],
    });
    expect(reportsOf(state)).toEqual(['feed.source_degraded']);
  });

  it.each([
    [new SourceRefused('refused'), 'refused'],
    [new TokenUnavailable('gone'), 'token_unreadable'],
    [new InvalidTokenError('a blank'), 'token_unreadable'],
    [new InvalidBaseUrlError('no https'), 'misconfigured'],
  ])('is degraded at once if the access fails: %s', (error, code) => {
    expect(codesOf(report(well(), { error }))).toEqual([code]);
    expect(describeFailure(error)).toEqual({ code, message: error.message });
  });

  it('is not degraded by one failing tick', () => {
    const state = report(well(), { error: failure });

    expect(codesOf(state)).toEqual([]);
    expect(state.health.failure).toMatchObject({ code: 'failing', since: NOW, ticks: 1 });
  });

  it('counts failing ticks until one that does not fail', () => {
    const first = report(well(), { error: failure });
    const second = report(first, { error: failure, now: NOW + MINUTE });

    expect(second.health.failure).toMatchObject({ since: NOW, ticks: 2 });
    expect(report(second).health.failure).toBeUndefined();
  });

  it('is reported once for each kind of reason, with its first moment, and recovers once none is left', () => {
    const first = report(well({ setAside: [aside] }));
    const again = report({ ...first, setAside: [aside, aside] }, { now: NOW + 1 });
    const both = report({ ...again, holds: [hold] }, { now: NOW + 2 });
    const one = report({ ...both, setAside: [] }, { now: NOW + 3 });
    const none = report({ ...one, holds: [] }, { now: NOW + 4 });

    expect(reportsOf(none)).toEqual([
      'feed.source_degraded',
      'feed.source_degraded',
      'feed.source_recovered',
    ]);
    expect([both, none].map(({ health }) => health.degradedSince)).toEqual([NOW, undefined]);
  });

  it('names a few of many unreadable groups', () => {
    const setAside = [
      aside,
      { ...aside, groupId: undefined, reason: 'the row is a text' },
      aside,
      aside,
      aside,
    ];

    expect(report(well({ setAside })).health.reasons[0]?.message).toBe(
      '5 return groups are set aside: 184467 (id is missing), one without an id (the row is a text), ' +
        '184467 (id is missing) and 2 more.',
    );
  });
});

describe('a lane without a complete round', () => {
  const at = (late: number, took: number = SECOND, requests = 0) => {
    const endedAt = NOW - late;
    return well({
      position: aPosition({ readAt: { late: endedAt - took, recent: NOW, older: NOW } }),
      lanes: lanesWith({ late: { endedAt, requests }, recent: { endedAt: NOW } }),
    });
  };
  const pace = {
    ...{ intervalMs: 60_000, lookbackMs: 300_000, reconcileMs: undefined },
    ...{ requestsPerMinute: 240, walkShare: 0.1 },
  };

  it.each([
    ['five minutes', pace, SECOND, 0, 5 * MINUTE],
    ['three rhythms', { ...pace, intervalMs: 240_000 }, SECOND, 0, 12 * MINUTE],
    ['three rhythms of many requests', pace, SECOND, 96, 6 * MINUTE],
    ['twice its last round', pace, 10 * MINUTE, 0, 20 * MINUTE],
  ])('is stalled after %s, whichever is longest', (_, settings, took, requests, patience) => {
    const stalled = (late: Instant) => stalledLanes(at(late, took, requests), settings, NOW);

    expect([stalled(patience), stalled(patience + 1)]).toEqual([[], ['late']]);
  });

  it('is reported with the last error', () => {
    const state = report(at(6 * MINUTE), { lastFailure: failure });

    expect(state.health.reasons).toEqual([
      { code: 'stalled', message: 'Not completed for a while: polls. The service answered 503.' },
    ]);
  });

  it('is no news while the source is held: the hold says so', () => {
    const other = { ...hold, kind: 'other_store' as const };

    expect(codesOf(report({ ...at(6 * MINUTE), holds: [other] }))).toEqual(['other_store']);
  });

  it('over older groups is only judged while it is a walk of its own', () => {
    const stale = NOW - 40 * HOUR;
    const lanes = lanesWith({
      late: { endedAt: NOW },
      recent: { endedAt: NOW, groups: 400_000 },
      older: { endedAt: stale },
    });
    const position = aPosition({ readAt: { late: NOW, recent: NOW, older: stale } });
    const room = { since: NOW, rows: 100, groups: 100, planned: 100, bytes: 0, rowBytes: 0 };

    const apart = well({ lanes, position, room });
    const joined = { ...apart, lanes: { ...lanes, recent: { ...lanes.recent, groups: 100 } } };

    expect([stalledLanes(apart, pace, NOW), stalledLanes(joined, pace, NOW)]).toEqual([['older'], []]);
  });

  it('tells since when the source is behind', () => {
    const state = { ...at(3 * MINUTE), pace: { ...pace, settleMs: 60_000 } };

    expect(behindSince(state, NOW)).toBe(NOW - 3 * MINUTE);
    expect(behindSince({ ...at(2 * MINUTE), pace: state.pace }, NOW)).toBe(NOW);
    expect(behindSince({ ...at(3 * MINUTE), pace: undefined }, NOW)).toBe(NOW);
  });
});
