import { describe, expect, it } from 'vitest';
import { formatStatus } from '../../../local/operating/format-status.ts';
import { describeSource } from '../../../local/operating/source-status.ts';
import { NO_GUARDING } from '../../../shared/guarding/no-guarding.ts';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
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
    guarding: NO_GUARDING,
    health: { ...state.health, reasons: [] },
    setAside: [],
    baseline: { ...state.baseline, status: 'completed', requests: 7 },
    ...changes,
  };
}

const held = () => well({ guarding: aState('acme').guarding });
const status = (state: SourceState, now = NOW) => describeSource(state, now, FLAGS);
const lines = (state: SourceState) => formatStatus(status(state), NOW / MILLISECOND);

describe('a source', () => {
  it('that is read completely is healthy, and reports its progress', () => {
    const report = status(well());

    expect(report).toMatchObject({ isHealthy: true, held: [], reasons: [], sinceLastTickMs: 12_000 });
    expect(report.behindMs).toBe(299_000);
    expect(report.reconciliation).toMatchObject([{ tier: 'all', plannedMs: 600_000, requests: 7 }]);
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
  ])('whose last tick is %s in the future is not healthy, and reports what to do', (_, ahead) => {
    const state = well({ lastSlot: (NOW + ahead) / MILLISECOND });

    expect(status(state)).toMatchObject({ isHealthy: false, reasons: [{ code: 'ahead' }] });
    expect(lines(state).join(' ').replaceAll(/\s+/g, ' ')).toContain('Check the clock of this machine');
  });

  it('whose last tick is slightly ahead of the local clock is healthy', () => {
    expect(status(well({ lastSlot: (NOW + 20 * SECOND) / MILLISECOND })).isHealthy).toBe(true);
  });

  it('whose tables were restored stops, and reports how to continue', () => {
    const state = well();
    const [same, other] = [state.mintedIn, 'the tables of the backup'].map((place) =>
      describeSource(state, NOW, FLAGS, place),
    );

    expect(same).toMatchObject({ isHealthy: true, reasons: [] });
    expect(other).toMatchObject({ isHealthy: false, reasons: [{ code: 'restored' }] });
    expect(other?.reasons[0]?.message).toContain('returns-feed sources restore acme --data state');
  });

  it('that is polled every hour is not reported as silent', () => {
    const pace = { intervalMs: 3_600_000, lookbackMs: 300_000, reconcileMs: 600_000, requestsPerMinute: 240 };

    expect(status(well({ pace, lastSlot: (NOW - 2 * HOUR) / MILLISECOND })).isHealthy).toBe(true);
  });

  it('with a state of an earlier release reports the known fields', () => {
    const report = status(well({ pace: undefined }));

    expect(report).toMatchObject({ isHealthy: true, lookbackMs: null });
    expect(report.reconciliation.map(({ plannedMs }) => plannedMs)).toEqual([null, null, null]);
  });

  it('with more groups than fit a cycle reports the length of each of its cycles', () => {
    const { reconciliation, baseline } = well();
    const state = well({
      baseline: { ...baseline, requests: 48_000 },
      reconciliation: { ...reconciliation, recent: { ...reconciliation.recent, lastRequests: 2_880 } },
    });

    expect(status(state).reconciliation).toMatchObject([
      { tier: 'recent', plannedMs: 1_200_000, requests: 2_880 },
      { tier: 'open', plannedMs: null, requests: null },
      { tier: 'all', plannedMs: 60_000_000, requests: 48_000 },
    ]);
  });
});

describe('a status for people', () => {
  it('shows holds first, with the command that releases them on its own line', () => {
    const report = lines(held());

    expect(report[0]).toBe('acme  held');
    expect(report[1]).toMatch(/^ {2}held: 7 {7}Too many known return groups are missing at once \(41\)\./);
    expect(report).toContain('  returns-feed release --source acme --hold 7 --data state');
  });

  it('shows a baseline in progress, and groups that are set aside', () => {
    const report = lines({ ...aState('acme'), guarding: NO_GUARDING }).join('\n');

    expect(report).toContain('under way, silent: 1,200 groups');
    expect(report).toContain("1 that can't be read\n                a row without an id: it has no id");
  });

  it('fits eighty columns', () => {
    const reason =
      'a reason that is rather long because it names several fields and what is wrong with each of them';
    const setAside = Array.from({ length: 5 }, (_, at) => ({
      ...aState('acme').setAside[0],
      groupId: at,
      reason,
    }));
    const state = { ...held(), setAside: setAside as SourceState['setAside'] };

    const report = lines(state);

    expect(report.join('\n')).toContain('and 2 more: see --json');
    expect(Math.max(...report.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
