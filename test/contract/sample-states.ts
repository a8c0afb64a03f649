// A source's state at work: every optional field is there, and something in every list.
import { HOUR, MINUTE, SECOND } from '../../shared/instant.ts';
import { beginRound } from '../../shared/reading/round.ts';
import { firstState } from '../../shared/source/first-state.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

const NOW = 1_763_633_703_000_000;

export function aState(source: string, version = 1, changes: Partial<SourceState> = {}): SourceState {
  const first = firstState({
    settings: { name: source, baseline: 'silent' },
    mintedIn: 'Zk3vT0aQ4yB7sX9cE1dF2g',
    mintedAt: NOW - HOUR,
  });
  return {
    ...first,
    version,
    generation: 'mi8x2k',
    earlierGenerations: ['mh1a0b'],
    lease: { owner: 'b3f0c2d4', epoch: 12, expiresAt: NOW + 90 * SECOND },
    lastSlot: 1_763_633_700_000,
    position: {
      origin: NOW - HOUR,
      cursor: NOW - 7 * MINUTE,
      newest: NOW - SECOND,
      newestAt: [{ at: NOW - MINUTE, stamp: NOW - 2 * MINUTE }],
      passed: [{ at: NOW - 3 * MINUTE, stamp: NOW - 9 * MINUTE }],
      readAt: { late: NOW - MINUTE, recent: NOW - 10 * MINUTE, older: undefined },
      places: [
        {
          ...{ axis: 'updated', from: NOW - HOUR, to: NOW - HOUR + 6 * SECOND },
          ...{ isLeftOut: true, seenAt: NOW - 10 * MINUTE, reason: '500' },
        },
      ],
      agedSince: NOW - 20 * MINUTE,
    },
    room: { since: NOW - HOUR, rows: 80, groups: 80, planned: 100, bytes: 210_000, rowBytes: 0 },
    limit: 100,
    lanes: {
      late: { ...first.lanes.late, endedAt: NOW - 58 * SECOND, groups: 17, requests: 1 },
      recent: { ...first.lanes.recent, groups: 190, requests: 3 },
      older: {
        ...first.lanes.older,
        round: {
          ...beginRound(NOW - SECOND, [
            { axis: 'created', to: NOW - HOUR, isRest: true },
            { axis: 'updated', from: NOW, to: NOW + 5 * SECOND, cross: { from: NOW - HOUR }, failures: 1 },
          ]),
          ...{ isWhole: false },
        },
      },
    },
    lookUps: [{ groupId: 4711, dueAt: NOW, isMissing: true, absentSince: NOW - MINUTE }],
    findings: [{ code: 'groups_hidden', lane: 'recent', count: 2, example: 'return 4711', seenAt: NOW }],
    setAside: [{ groupId: undefined, reason: 'it has no id', digest: 'k3j4', since: NOW, seenAt: NOW }],
    seenWith: 'xqT0r8',
    holds: [
      {
        number: 7,
        kind: 'removals',
        since: NOW,
        phase: 'holding',
        phaseSince: NOW,
        count: 41,
        samples: [{ groupId: 184_467, what: 'return group', before: 'known', after: 'missing' }],
        accessHash: 'b81kq0',
      },
    ],
    lastHold: 7,
    compared: '0010',
    removals: 1,
    backfilled: 2,
    fieldsSince: { 'shipment.carrier': NOW - HOUR },
    health: {
      degradedSince: NOW - HOUR,
      reasons: [{ code: 'set_aside', message: 'A group could not be read.' }],
      restUntil: 0,
      refusals: 2,
      failure: { code: 'failing', message: 'The service answered 503.', since: NOW - HOUR, ticks: 12 },
    },
    feedSequence: 3,
    feedReports: [
      {
        type: 'feed.drift_detected',
        object: { type: 'drift', findings: ['shipment.status=LOST'] },
        time: NOW,
      },
    ],
    readSequence: 29_393_895,
    readReportAt: NOW,
    driftReported: ['shipment.status: LOST'],
    pace: {
      intervalMs: 60_000,
      lookbackMs: 300_000,
      settleMs: 60_000,
      reconcileMs: 600_000,
      requestsPerMinute: 240,
      walkShare: 0.1,
    },
    baseUrl: 'https://returns.example.com/api',
    ...changes,
  };
}
