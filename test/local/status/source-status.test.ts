import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { createMoments } from '../../../local/cli/moments.ts';
import { formatStatus, formatStatusPage } from '../../../local/status/format-status.ts';
import type { FeedVerdict } from '../../../local/status/judge-feed.ts';
import { describeSource, type StatusCircumstances } from '../../../local/status/source-status.ts';
import { hold } from '../../../shared/guarding/hold.ts';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { beginRound } from '../../../shared/reading/round.ts';
import { movedTo } from '../../../shared/source/restored-state.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aState } from '../../contract/sample-states.ts';

const NOW = 1_763_633_703_000_000;
const FLAGS = ' --data state';

/** A healthy state. */
function well(changes: Partial<SourceState> = {}): SourceState {
  const state = aState('acme');
  return {
    ...state,
    lastSlot: (NOW - 12 * SECOND) / MILLISECOND,
    holds: [],
    findings: [],
    position: {
      ...state.position,
      places: [],
      readAt: { ...state.position.readAt, older: NOW - 20 * MINUTE },
    },
    setAside: [],
    health: { ...state.health, reasons: [], failure: undefined },
    baselineAt: NOW - 30 * MINUTE,
    lanes: {
      ...state.lanes,
      recent: { ...state.lanes.recent, endedAt: NOW - 9 * MINUTE, dueAt: NOW },
      older: { ...state.lanes.older, endedAt: NOW - 19 * MINUTE },
    },
    ...changes,
  };
}

const held = () => well({ holds: aState('acme').holds });
const status = (state: SourceState, known: Partial<StatusCircumstances> = {}) =>
  describeSource(state, { now: NOW, flags: FLAGS, ...known });
const moments = createMoments({ zone: 'UTC', now: () => NOW / MILLISECOND });
const lines = (state: SourceState, width = 80, known: Partial<StatusCircumstances> = {}) =>
  formatStatus(status(state, known), moments, { width, colors: pc.createColors(false) });
const text = (...args: Parameters<typeof lines>) => lines(...args).join('\n');

describe('a source', () => {
  it('that is read completely is healthy, and reports its progress', () => {
    const report = status(well());

    expect(report).toMatchObject({
      ...{ isHealthy: true, held: [], reasons: [], sinceLastTickMs: 12_000, behindMs: 0 },
      polledAt: '2025-11-20T10:14:03.000000Z',
      readUpTo: '2025-11-20T10:08:03.000000Z',
      walkedAt: '2025-11-20T09:55:03.000000Z',
    });
    // Few groups: one walk reads all.
    expect(report.lanes).toMatchObject([
      { lane: 'late', everyMs: 60_000, underWay: null },
      { lane: 'recent', isWhole: true, everyMs: 600_000, underWay: null },
    ]);
  });

  it.each([
    ['is held', held()],
    ['is degraded', well({ health: { ...well().health, reasons: [{ code: 'behind', message: 'late' }] } })],
    ['rests after its token was refused', well({ health: { ...well().health, restUntil: NOW + MINUTE } })],
    ['was not polled for long', well({ lastSlot: (NOW - 6 * MINUTE) / MILLISECOND })],
    ['was never polled', well({ lastSlot: 0 })],
  ])('that %s is not healthy', (_, state) => {
    expect(status(state).isHealthy).toBe(false);
  });

  it.each([
    ['two minutes', 2 * MINUTE],
    ['a year', 365 * 24 * HOUR],
  ])('with a last tick %s in the future is not healthy, and reports what to do', (_, ahead) => {
    const state = well({ lastSlot: (NOW + ahead) / MILLISECOND });

    expect(status(state)).toMatchObject({ isHealthy: false, reasons: [{ code: 'ahead' }] });
    expect(lines(state).join(' ').replaceAll(/\s+/g, ' ')).toContain('Check the clock of this machine');
  });

  // Before, it was reported as stopped, as if nothing polled it.
  it.each([
    ['while it rests', 8, 'failing'],
    ['until its next poll is overdue', -4, 'well'],
    ['and then is stopped if it is not polled', -6, 'stopped'],
  ])('whose token was refused is not stopped %s', (_, restsFor, verdict) => {
    const lastSlot = (NOW - 11 * MINUTE) / MILLISECOND;
    const health = { ...well().health, restUntil: NOW + restsFor * MINUTE };

    expect(status(well({ lastSlot, health })).verdict).toBe(verdict);
  });

  it('that seems to rest for longer than the feed ever does is stopped if nothing polls it', () => {
    const lastSlot = (NOW - 11 * MINUTE) / MILLISECOND;
    const health = { ...well().health, restUntil: NOW + HOUR };

    expect(status(well({ lastSlot, health })).verdict).toBe('stopped');
  });

  it('with a last tick slightly ahead of the local clock is healthy', () => {
    expect(status(well({ lastSlot: (NOW + 20 * SECOND) / MILLISECOND })).isHealthy).toBe(true);
  });

  it('with restored tables is stopped, and reports how to continue', () => {
    const state = well();
    const [same, other] = [state.mintedIn, 'the tables of the backup'].map((place) =>
      status(state, { place }),
    );

    expect(same).toMatchObject({ isHealthy: true, reasons: [] });
    expect(other).toMatchObject({ isHealthy: false, reasons: [{ code: 'restored' }] });
    expect(other?.nextSteps[0]?.command).toBe('npx --no returns-feed sources restore acme --data state');
  });

  it('that was moved is removed here, and nobody has to mend it', () => {
    const state = well({ mintedIn: movedTo('another place'), lastSlot: (NOW - 9 * HOUR) / MILLISECOND });

    const moved = status(state, { place: 'this place', poller: null });

    expect(moved).toMatchObject({ verdict: 'removed', reasons: [] });
  });

  it('that is polled every hour is not reported as silent', () => {
    const pace = {
      intervalMs: 3_600_000,
      lookbackMs: 300_000,
      settleMs: 60_000,
      requestsPerMinute: 240,
      walkShare: 0.1,
    };

    expect(status(well({ pace, lastSlot: (NOW - 2 * HOUR) / MILLISECOND })).isHealthy).toBe(true);
  });

  it.each([
    [5_000, 'every 5 s what is new, completely every 60 s; last completed'],
    [60_000, 'every 60 s; last completed'],
    [600_000, 'every 10 min; last completed'],
  ])('that is polled every %d ms shows how often, and how often completely', (intervalMs, expected) => {
    const pace = { intervalMs, lookbackMs: 300_000, settleMs: 60_000, walkShare: 0.1 };

    const shown = text(well({ pace: { ...pace, requestsPerMinute: 240 } }), 200);

    expect(shown).toContain(`  polls         ${expected}`);
  });

  it('before its first tick has no pace, and reports the known fields', () => {
    const report = status(well({ pace: undefined }));

    expect(report).toMatchObject({ isHealthy: true, intervalMs: null, lookbackMs: null, readUpTo: null });
    expect(report.lanes.map(({ everyMs }) => everyMs)).toEqual([null, null, 43_200_000]);
  });

  it('with many groups walks older ones on their own, and reports the round under way', () => {
    const { lanes } = well();
    const state = well({ lanes: { ...lanes, recent: { ...lanes.recent, groups: 1_000_000 } } });

    expect(status(state).lanes).toMatchObject([
      { lane: 'late' },
      { lane: 'recent', isWhole: false, endedAt: '2025-11-20T10:06:03.000000Z' },
      { lane: 'older', everyMs: 43_200_000, nextAt: null, underWay: { waitingRanges: 2, groups: 0 } },
    ]);
  });
});

const FAILURE = {
  code: 'failing',
  message: 'returns.example answered with status 503.',
  since: NOW - 12 * MINUTE,
  ticks: 12,
};
const failing = () => well({ health: { ...well().health, failure: FAILURE } });

describe('the verdict about a source', () => {
  it('is one word, and the headline has its reason', () => {
    const headlines = [
      text(well()),
      text(well({ baselineAt: undefined })),
      text(failing(), 120),
      text(held()),
      text(well(), 120, { poller: null, isLocal: true }),
      text(well({ lastSlot: 0 })),
    ].map((each) => each.split('\n')[0]);

    expect(headlines).toEqual([
      'acme  well: polled 60 s ago, complete',
      'acme  well: the baseline is under way',
      'acme  failing: returns.example answered with status 503, since 10:03:03 (12 polls)',
      'acme  held: one decision is up to you',
      'acme  stopped: No "watch" runs on this directory, last tick 2025-11-20 10:14:51 (12 s ago)',
      'acme  stopped: Nothing polls this source',
    ]);
  });

  it.each(hold.shape.kind.options)(
    'is well after the release of %s, although the next tick has not reported it yet',
    (code) => {
      const reasons = [{ code, message: 'Too many are missing.' }];
      const state = well({ health: { ...well().health, degradedSince: NOW - HOUR, reasons } });

      expect(status(state)).toMatchObject({ verdict: 'well', degradedSince: null });
      expect(text(state)).not.toContain('degraded');
    },
  );

  it('keeps the last error of a source that is stopped', () => {
    const report = text(failing(), 120, { poller: null, isLocal: true });

    expect(report).toMatch(/^acme {2}stopped: /);
    expect(report).toContain(
      'last error    returns.example answered with status 503, since 10:03:03 (12 polls)',
    );
  });

  it.each([
    [
      'stopped on this machine',
      well(),
      { poller: null, isLocal: true },
      'watch --base-url https://r.example/api --source acme --data state',
    ],
    ['stopped in a deployment', well({ lastSlot: 0 }), { flags: ' --stack S' }, 'sources list --stack S'],
    ['failing', failing(), { poller: { pid: 7 }, isLocal: true }, 'probe --base-url https://r.example/api'],
  ])('comes with the next step: %s', (_, state, known, command) => {
    const report = text({ ...state, baseUrl: 'https://r.example/api' }, 120, known);

    expect(report).toContain(`\n    npx --no returns-feed ${command}\n`);
  });

  it('names the process that polls, and one that polls another source', () => {
    const poller = { pid: 4711 };

    expect(text(well(), 80, { poller, isLocal: true })).toContain('(12 s ago), by process 4711');
    const silent = text(well({ lastSlot: 0 }), 120, { poller, isLocal: true });
    expect(silent).toContain('stopped: Process 4711 has not polled this source lately');
    expect(silent).toContain('If it hangs, end it. Start "watch" again');
  });
});

describe('a status for people', () => {
  it.each([
    ['mass_change', 'If only the notation is new, take the changes over without events:'],
    ['backfill', 'If they need none of them, take them over without events:'],
  ] as const)('offers to adopt a hold of the kind %s', (kind, condition) => {
    const holds = held().holds.map((each) => ({ ...each, kind }));

    const report = text(well({ holds }), 120);

    expect(report).toContain('    npx --no returns-feed adopt --source acme --hold 7 --data state');
    expect(report).toContain(condition);
    expect(text(held())).not.toContain('adopt');
  });

  it('shows that walks may begin more often', () => {
    const { lanes } = well();
    const state = well({ lanes: { ...lanes, recent: { ...lanes.recent, groups: 1_000_000 } } });

    const report = text(state, 200);

    expect(report).toContain('recent        at least every 10 min; ');
    expect(report).toContain('older         at least every 12 h; ');
  });

  it('shows holds first, with examples and with the command that releases them on its own line', () => {
    const report = lines(held());

    expect(report[1]).toMatch(
      /^ {2}hold 7 {8}41 known return groups, items or shipments are missing at once/,
    );
    expect(text(held())).toContain('For instance 184467: return group known → missing');
    expect(report).toContain('    npx --no returns-feed release --source acme --hold 7 --data state');
  });

  it.each([
    ['filter_ignored', '  filter_ignored\n                The service ignores the filter.\n'],
    ['groups_hidden', '  groups_hidden The service ignores the filter.\n'],
  ])('keeps a code apart from its message: %s', (code, shown) => {
    const first = { code: 'stalled', message: 'Not completed for a while: polls.' };
    const reasons = [first, { code, message: 'The service ignores the filter.' }];
    const { health } = aState('acme');

    expect(text(well({ health: { ...health, reasons } }))).toContain(`\n${shown}`);
  });

  it('shows a baseline in progress, and groups that are set aside', () => {
    const { lanes } = aState('acme');
    const round = { ...beginRound(NOW - MINUTE, []), groups: 1_200 };
    const recent = { ...lanes.recent, round };
    const report = text({ ...aState('acme'), holds: [], lanes: { ...lanes, recent } });

    expect(report).toContain('under way: 1,200 groups, without events');
    expect(report).toContain('1 return\n                a row without an id: it has no id');
  });

  it('begins with the last complete poll, and names what it has read for certain in the details', () => {
    const report = lines(well(), 160);

    expect(report[0]).toBe('acme  well: polled 60 s ago, complete');
    expect(report).toContain(
      '  read up to    2025-11-20 10:08:03 for certain: a change may show up to 5 min late',
    );
  });

  it('shows the times that are left out, and why', () => {
    const { position } = aState('acme');
    const left = { axis: 'updated', from: NOW - HOUR, to: NOW - HOUR + 6 * SECOND, isLeftOut: true } as const;
    const crowd = { ...left, axis: 'created', isLeftOut: false, seenAt: NOW, reason: 'bounds' } as const;
    const places = [crowd, { ...left, seenAt: NOW - 9 * MINUTE, reason: '500' }];

    const report = text(well({ position: { ...position, places } }), 160);

    expect(report).toContain(
      'left out      returns updated from 2025-11-20 09:15:03 to 2025-11-20 09:15:09, until 10:16:03: 500\n',
    );
    expect(report).not.toContain('bounds');
  });

  it('shows the number of rows that the service sends', () => {
    expect(text(well())).toContain('pages of up to 100 rows (100 rows asked for)');
  });

  it.each([60, 80, 120])('fits %i columns, with every command in one piece for a shell', (width) => {
    const reason =
      'a reason that is rather long because it names several fields and what is wrong with each of them';
    const setAside = Array.from({ length: 5 }, (_, at) => ({
      ...aState('acme').setAside[0],
      groupId: at,
      reason,
    }));
    const flags = " --data '/home/somebody/a long path/to the/state'";
    const state = { ...held(), setAside: setAside as SourceState['setAside'] };

    const report = lines(state, width, { flags });

    expect(report.join('\n')).toContain('and 2 more: see --json');
    expect(Math.max(...report.map((line) => line.length))).toBeLessThanOrEqual(width);
    // A shell joins lines that end with a backslash.
    const joined = report.join('\n').replaceAll(/ \\\n */g, ' ');
    expect(joined).toContain(`    npx --no returns-feed release --source acme --hold 7${flags}\n`);
  });

  it('is not wrapped if the width is unknown', () => {
    const report = lines(held(), Number.POSITIVE_INFINITY);

    const sentence =
      'Nothing is published as removed; other changes are. The hold ends by itself once the service shows most of them again.';
    expect(report.find((line) => line.includes(sentence))).toBeDefined();
  });

  it('is coloured if something needs attention, and has the same text without colours', () => {
    const colored = { width: 80, colors: pc.createColors(true) };
    const painted = formatStatus(status(held()), moments, colored).join('\n');

    expect(painted).toContain(pc.createColors(true).yellow('held'));
    expect(stripVTControlCharacters(painted)).toBe(text(held()));
  });
});

describe('a page of many sources', () => {
  const VERDICT: FeedVerdict = {
    ...{ verdict: 'well', concerns: [], unknown: [], polledAt: null, baseline: null, waiting: 0 },
    ...{ isMoreWaiting: false, destinations: [] },
  };
  const pageOf = (count: number) => {
    const states = Array.from({ length: count }, (_, at) => ({
      ...(at === count - 1 ? held() : well()),
      source: `m${at}`,
    }));
    const sources = states.map((state) => status(state));
    const layout = { width: 80, colors: pc.createColors(false) };
    return formatStatusPage({ verdict: VERDICT, sources, console: null }, moments, layout);
  };

  it('has totals and a line each, the worst first', () => {
    const page = pageOf(25);

    const [totals, first, second] = page.slice(page.findIndex((line) => line.startsWith('25 sources')));
    expect(totals).toBe('25 sources: 1 held, 24 well');
    expect(first).toMatch(/^m24 {2}held: /);
    expect(second).toMatch(/^m0 {2}well: /);
    expect(page).toContain('and 5 more');
  });

  it('shows ten in full', () => {
    expect(pageOf(10).filter((line) => line.startsWith('  last tick'))).toHaveLength(10);
  });
});
