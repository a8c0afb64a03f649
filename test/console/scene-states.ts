// States of sources as feeds have them, for constant pages: one that is well, one whose first reading is under way, one
// that fails, and one that is held.
import { HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import { beginRound } from '../../shared/reading/round.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { ACME } from '../contract/sample-saves.ts';
import { aState } from '../contract/sample-states.ts';

/** The present of these states: all their times are relative to it. */
export const NOW: Instant = Date.parse('2026-11-20T10:15:30Z') * MILLISECOND;

export function aWellState(source = 'acme'): SourceState {
  const sample = aState(source);
  const lane = (startedAgo: Instant, rhythm: Instant, groups: number) => ({
    dueAt: NOW - startedAgo + rhythm,
    round: undefined,
    cuts: [],
    endedAt: NOW - startedAgo + 9 * SECOND,
    groups,
    requests: Math.ceil(groups / 80),
    missing: 0,
  });
  return {
    ...sample,
    generation: ACME.generation,
    startedAt: NOW - 90 * 24 * HOUR,
    baselineAt: NOW - 89 * 24 * HOUR,
    lease: { owner: 'b3f0c2d4', epoch: 12, expiresAt: NOW + 90 * SECOND },
    lastSlot: (NOW - 20 * SECOND) / MILLISECOND,
    position: {
      ...sample.position,
      ...{ cursor: NOW - 381 * SECOND, newest: NOW - SECOND, newestAt: [], passed: [], places: [] },
      readAt: { late: NOW - 21 * SECOND, recent: NOW - 4 * MINUTE, older: NOW - 9 * HOUR },
    },
    lanes: {
      late: lane(21 * SECOND, MINUTE, 12),
      recent: lane(4 * MINUTE, 10 * MINUTE, 9_120),
      older: lane(9 * HOUR, 12 * HOUR, 39_090),
    },
    lookUps: [],
    findings: [],
    setAside: [],
    holds: [],
    lastHold: 0,
    health: { ...sample.health, degradedSince: undefined, reasons: [], refusals: 0, failure: undefined },
    feedReports: [],
    readReportAt: undefined,
    driftReported: [],
    fieldsSince: {},
  };
}

/** Its first reading is under way, two returns are set aside, and a hold waits for an operator. */
export function aHeldState(source = 'outlet'): SourceState {
  const well = aWellState(source);
  const [hold] = aState('acme').holds;
  if (hold === undefined) throw new Error('The sample state has no hold.');
  const round = { ...beginRound(NOW - 50 * MINUTE, []), groups: 31_200 };
  const noted = { digest: 'k3j4', seenAt: NOW };
  return {
    ...well,
    baselineAt: undefined,
    position: { ...well.position, readAt: { ...well.position.readAt, recent: undefined } },
    lanes: { ...well.lanes, recent: { ...well.lanes.recent, endedAt: NOW - 50 * MINUTE, round } },
    setAside: [
      { ...noted, groupId: 99_102, reason: 'shipments.0.status is missing', since: NOW - 3 * HOUR },
      { ...noted, groupId: 99_877, reason: 'created_at is no timestamp', since: NOW - 2 * HOUR },
    ],
    lastHold: 7,
    holds: [
      {
        ...hold,
        since: NOW - 42 * MINUTE,
        samples: hold.samples.map((each) => ({ ...each, groupId: 99_034 })),
      },
    ],
  };
}

/** It began eleven minutes ago, and its first reading is under way. */
export function aNewState(source = 'acme'): SourceState {
  const well = aWellState(source);
  const round = { ...beginRound(NOW - 10 * MINUTE, []), groups: 31_200 };
  const unread = { endedAt: NOW - 11 * MINUTE, groups: 0, requests: 0 };
  return {
    ...well,
    ...{ startedAt: NOW - 11 * MINUTE, baselineAt: undefined },
    position: { ...well.position, readAt: { ...well.position.readAt, recent: undefined, older: undefined } },
    lanes: {
      ...well.lanes,
      recent: { ...well.lanes.recent, ...unread, requests: 390, round },
      older: { ...well.lanes.older, ...unread },
    },
  };
}

/** Its service has been down for twelve polls. */
export function aFailingState(source: string): SourceState {
  const well = aWellState(source);
  const message = 'The service answered with status 503.';
  return {
    ...well,
    health: {
      ...well.health,
      failure: { code: 'failing', message, since: NOW - 12 * MINUTE, ticks: 12 },
    },
  };
}
