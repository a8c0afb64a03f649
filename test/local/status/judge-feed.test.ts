import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { createMoments } from '../../../local/cli/moments.ts';
import { formatDestination, headlineOf } from '../../../local/status/format-status.ts';
import { judgeFeed } from '../../../local/status/judge-feed.ts';
import type { Overview, OverviewReader, OverviewWebhook } from '../../../local/status/load-overview.ts';
import { describeSource } from '../../../local/status/source-status.ts';
import { HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Reader } from '../../../shared/pulling/reader.ts';
import type { Unread } from '../../../shared/pulling/unread.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { type EndpointState, newEndpoint } from '../../../shared/webhooks/endpoint-state.ts';
import { aKey } from '../../contract/sample-saves.ts';
import { aState } from '../../contract/sample-states.ts';

const NOW: Instant = Date.parse('2026-11-20T10:15:30Z') * MILLISECOND;
const URL = 'http://127.0.0.1:3000/hook';
const moments = createMoments({ zone: 'UTC', now: () => NOW / MILLISECOND });

function well(changes: Partial<SourceState> = {}): SourceState {
  const state = aState('acme');
  const lane = { ...state.lanes.late, endedAt: NOW - 2 * SECOND };
  const readAt = NOW - 3 * SECOND;
  return {
    ...state,
    lastSlot: (NOW - SECOND) / MILLISECOND,
    ...{ holds: [], findings: [], setAside: [] },
    position: { ...state.position, readAt: { late: readAt, recent: readAt, older: readAt }, places: [] },
    health: { ...state.health, reasons: [], failure: undefined },
    baselineAt: NOW - 30 * MINUTE,
    lanes: { late: lane, recent: lane, older: lane },
    ...changes,
  };
}

function source(state: SourceState) {
  const known = { now: NOW, flags: ' --data state', isLocal: true, poller: { pid: 7 } };
  return { state, status: describeSource(state, known), activity: undefined };
}

function overview(changes: Partial<Overview> = {}): Overview {
  const subscribers = { subscribers: [], problems: [], askedAtMs: 0 };
  return {
    sources: [source(well())],
    relays: [],
    subscribers,
    webhooks: [],
    readers: [],
    problems: [],
    ...changes,
  };
}

/** A URL with a return whose next event it has not accepted since `failingSince`. */
function receiver(
  noted: Partial<EndpointState>,
  failingSince?: Instant,
  reason = 'ECONNREFUSED',
): OverviewWebhook {
  const returns = failingSince === undefined ? 0 : 1;
  const group = { destination: 'forward-1', key: aKey(7), sequence: 1, behind: `2: ${reason}`, failingSince };
  const labels = { name: 'forward-1', mark: 'forward-1', title: URL, address: URL, filter: {} };
  return {
    ...{ labels, host: null, endpoint: { ...newEndpoint(NOW - 60 * MINUTE), ...noted } },
    waiting: { returns, events: returns * 2, isCut: false, oldest: undefined },
    behind: { groups: failingSince === undefined ? [] : [group], isCut: false },
  };
}

const failing = (lastFailure: string) =>
  receiver(
    { failures: 13, failingSince: NOW - 5 * MINUTE, lastFailureAt: NOW, lastFailure },
    NOW - 5 * MINUTE,
    lastFailure,
  );

const judge = (given: Overview) => judgeFeed(given, NOW, ' --data state');
const headline = (given: Overview) => headlineOf(judge(given), moments);

describe('the verdict', () => {
  it('is well if every source is read and every destination has all, and names the oldest complete poll', () => {
    const given = overview({ webhooks: [receiver({ lastAcceptedAt: NOW })] });

    expect(judge(given)).toMatchObject({ verdict: 'well', concerns: [], waiting: 0 });
    expect(headline(given)).toBe('All well: last complete poll 3 s ago, 0 waiting');
  });

  it.each(['removed', 'paused'] as const)(
    'leaves out a source that is %s, whatever is wrong with it',
    (rests) => {
      const reasons = [{ code: 'refused', message: 'The service refuses the token.' }];
      const failure = {
        code: 'refused' as const,
        message: 'It answered 401.',
        since: NOW - MINUTE,
        ticks: 3,
      };
      const state = { ...well({ holds: aState('acme').holds }), source: 'globex', lastSlot: 1 };
      const refused = { ...state, health: { ...state.health, reasons, failure, restUntil: NOW + MINUTE } };
      const known = { now: NOW, flags: ' --stack ReturnsFeed', rests };
      const status = describeSource(refused, known);

      const sources = [source(well()), { state: refused, status, activity: undefined }];

      expect(judge(overview({ sources }))).toMatchObject({ verdict: 'well', concerns: [] });
      expect(status).toMatchObject({
        verdict: rests,
        held: [],
        reasons: [],
        nextSteps:
          rests === 'paused'
            ? [{ command: 'npx --no returns-feed sources resume globex --stack ReturnsFeed' }]
            : [],
        restsUntil: null,
      });
    },
  );

  it('needs attention while a receiver fails, though every source is well', () => {
    const given = overview({ webhooks: [failing('ECONNREFUSED')] });

    expect(judge(given)).toMatchObject({ verdict: 'attention', concerns: [{ kind: 'receiver_failing' }] });
    expect(headline(given)).toBe(
      `${URL} fails since 10:10:30: ECONNREFUSED, nothing listens there. Start the receiver, or correct its port.`,
    );
  });

  it.each([
    [1, '1 return not accepted: acme 1 at event 2 since 10:14:45;'],
    [
      5,
      '5 returns not accepted: acme 1 at event 2 since 10:14:45, acme 2 at event 2 since 10:14:45, acme 3 at event 2 since 10:14:45 and 2 more;',
    ],
  ])('names %d of the returns whose next event a receiver rejects', (count, expected) => {
    const rejecting = receiver({ lastAcceptedAt: NOW }, NOW - 45 * SECOND, 'answered 422');
    const groups = Array.from({ length: count }, (_, index) => ({
      ...{ destination: 'forward-1', key: aKey(index + 1), sequence: 1, behind: '2: answered 422' },
      failingSince: NOW - 45 * SECOND,
    }));

    const [destination] = judge(
      overview({ webhooks: [{ ...rejecting, behind: { groups, isCut: false } }] }),
    ).destinations;

    const layout = { width: 300, colors: pc.createColors(false) };
    expect(destination?.returns[0]).toEqual({
      ...{ ...aKey(1), event: 2, reason: 'answered 422' },
      since: '2026-11-20T10:14:45.000000Z',
    });
    expect(destination && formatDestination(destination, moments, layout).join(' ')).toContain(expected);
  });

  it('tells how to get the secret that a receiver does not know', () => {
    const { concerns } = judge(overview({ webhooks: [failing('answered 401')] }));

    expect(concerns[0]?.nextSteps).toContainEqual({
      text: 'This command prints it:',
      command: 'npx --no returns-feed webhooks secret --data state',
    });
  });

  it('is well while a failed attempt is repeated, and not after a minute', () => {
    const since = (failingSince: Instant) =>
      judge(overview({ webhooks: [receiver({ lastAcceptedAt: NOW }, failingSince, 'answered 422')] }));

    expect(since(NOW - 59 * SECOND)).toMatchObject({
      verdict: 'well',
      waiting: 1,
      destinations: [{ state: 'retrying' }],
    });
    expect(since(NOW - 60 * SECOND)).toMatchObject({
      verdict: 'attention',
      concerns: [{ kind: 'behind', subject: URL }],
    });
  });

  it.each<[string, Partial<Overview>, string]>([
    ['a webhook that is paused', { webhooks: [receiver({ isPaused: true })] }, 'receiver_paused'],
    [
      'a subscriber with dead letters',
      {
        subscribers: {
          ...{ problems: [], askedAtMs: 0 },
          subscribers: [
            {
              queue: 'Erp.fifo',
              waiting: 0,
              oldestSeconds: 0,
              deadLetters: 2,
              deadLetterArn: 'arn:aws:sqs:a:1:Dead',
            },
          ],
        },
      },
      'dead_letters',
    ],
    [
      'a bus that rejects an event',
      {
        relays: [
          {
            labels: { name: 'bus', mark: 'bus', title: 'the bus' },
            waiting: { returns: 1, events: 1, isCut: false, oldest: undefined },
            behind: {
              groups: [
                {
                  destination: 'bus',
                  key: aKey(7),
                  sequence: 1,
                  behind: '2: too large',
                  failingSince: undefined,
                },
              ],
              isCut: false,
            },
          },
        ],
      },
      'behind',
    ],
    ['a source that is held', { sources: [source(well({ holds: aState('acme').holds }))] }, 'held'],
    ['a source without a poll', { sources: [source(well({ lastSlot: 1 }))] }, 'stopped'],
    [
      'a row that can not be read',
      { sources: [source(well({ setAside: aState('acme').setAside }))] },
      'set_aside',
    ],
  ])('needs attention for each other cause: %s', (_, changes, kind) => {
    const { verdict, concerns } = judge(overview(changes));

    expect({ verdict, kinds: concerns.map((each) => each.kind) }).toEqual({
      verdict: 'attention',
      kinds: [kind],
    });
  });

  it('has one cause where a receiver fails and returns wait for it, and where a reason repeats the last failure', () => {
    const message = 'No connection to returns.example.com.';
    const failure = { code: 'failing', message, since: NOW - MINUTE, ticks: 9 };
    const stalled = { code: 'stalled', message: `Not completed for a while: polls. ${message}` } as const;
    const state = well({ health: { ...well().health, failure, reasons: [stalled] } });

    const { concerns } = judge(overview({ sources: [source(state)], webhooks: [failing('timeout')] }));

    expect(concerns.map(({ kind }) => kind)).toEqual(['failing', 'receiver_failing']);
    expect(concerns[0]?.message).toBe(message);
    expect(headline(overview({ sources: [source(state)], webhooks: [failing('timeout')] }))).toMatch(
      / \(And 1 more\.\) Each poll tries again/,
    );
  });

  it('is that a receiver accepts no event, as soon as several attempts failed in a row', () => {
    const since = NOW - 20 * SECOND;
    const failed = (failures: number) => {
      const noted = { failures, failingSince: since, lastFailureAt: NOW, lastFailure: 'answered 500' };
      return overview({ webhooks: [receiver({ ...noted, lastAcceptedAt: NOW - 30 * SECOND }, since)] });
    };

    expect(headline(failed(4))).toMatch(/^All well: /);
    expect(headline(failed(23))).toBe(
      `${URL}: no event accepted since 10:15:10 (answered 500, 23 times in a row), ` +
        'last complete poll 3 s ago, 1 waiting',
    );
  });

  it('needs attention while a URL that is left out lacks events, and says how to remove it', () => {
    const left = receiver({ lastAcceptedAt: NOW - MINUTE }, NOW);
    const dropped = { ...left, labels: { ...left.labels, isDropped: true } };

    const { verdict, concerns } = judge(overview({ webhooks: [dropped] }));

    expect({ verdict, kind: concerns[0]?.kind }).toEqual({ verdict: 'attention', kind: 'receiver_dropped' });
    expect(concerns[0]?.message).toContain('It lacks 2 events of 1 return,');
    expect(concerns[0]?.nextSteps.at(-1)?.command).toBe(
      'npx --no returns-feed webhooks remove forward-1 --data state',
    );
  });

  it('counts what waits as events too, and says when there may be more', () => {
    const relayed = (isCut: boolean) => ({
      labels: { name: 'bus', mark: 'bus', title: 'the bus' },
      waiting: { returns: 50, events: 173, isCut, oldest: undefined },
      behind: { groups: [], isCut: false },
    });
    const lineOf = (isCut: boolean) => {
      const { destinations } = judge(overview({ relays: [relayed(isCut)] }));
      const layout = { width: 300, colors: pc.createColors(false) };
      return destinations.flatMap((each) => formatDestination(each, moments, layout)).join(' ');
    };

    expect(lineOf(false)).toContain('50 returns (173 events) waiting');
    expect(lineOf(true)).toContain('50 or more returns (173 events) waiting');
    expect(headline(overview({ relays: [relayed(true)] }))).toMatch(/, 50 or more waiting$/);
  });

  describe('of a reader of the pull feed', () => {
    const reader = (changes: Partial<Reader>, unread: Unread | null): OverviewReader => ({
      name: 'wms',
      reader: { filter: {}, tokens: [], readAt: NOW - 2 * HOUR, ...changes },
      unread,
    });
    const beyond = (count: number, since?: Instant) => ({ count, isCut: false, since });
    const watched = { alarmAfterMs: HOUR / MILLISECOND };
    const lineOf = (given: OverviewReader) => {
      const { destinations } = judge(overview({ readers: [given] }));
      const layout = { width: 300, colors: pc.createColors(false) };
      return destinations.flatMap((each) => formatDestination(each, moments, layout)).join(' ');
    };

    it.each([
      ['has not begun', { readAt: undefined, ...watched }, null, 'new; never asked'],
      ['has all', watched, beyond(0), 'all read; 0 events waiting; last asked'],
      ['may lag', {}, beyond(7, NOW - 3 * HOUR), 'unread; 7 events waiting; the oldest for 3 h; last asked'],
      [
        'lags for less than its bound',
        watched,
        beyond(1, NOW - MINUTE),
        'unread; 1 event waiting; the oldest for 60 s',
      ],
      ['may miss events', {}, 'expired' as const, 'unread; what followed its offset has expired; last asked'],
      ['is not known', watched, null, 'unknown; last asked'],
    ])('is well where it %s', (_, changes, unread, line) => {
      const given = reader(changes, unread);

      expect(judge(overview({ readers: [given] }))).toMatchObject({ verdict: 'well', waiting: 0 });
      expect(lineOf(given)).toContain(`reader wms  ${line}`);
    });

    it.each([
      [beyond(7, NOW - 3 * HOUR), 'reader wms has not read 7 events since 07:15:30: It last asked at'],
      ['expired' as const, 'reader wms misses events: What followed its offset has expired.'],
    ])('needs attention where it lags for longer than its bound (%#)', (unread, sentence) => {
      const given = overview({ readers: [reader(watched, unread)] });

      const { verdict, destinations } = judge(given);

      expect([verdict, destinations[0]?.state]).toEqual(['attention', 'behind']);
      expect(headline(given)).toContain(sentence);
    });
  });

  it('says what it does not know', () => {
    const given = overview({ problems: ["The webhooks can't be shown: no permission."] });

    expect(headline(given)).toBe('Well as far as is known: last complete poll 3 s ago, 0 waiting');
    expect(judge(overview({ sources: [] })).verdict).toBe('new');
    expect(headline(overview({ sources: [] }))).toContain('"watch" polls at once');
  });
});
