// The state with which a source begins. Nothing is read for it; the first tick searches the origin of its position.
import { type Instant, MILLISECOND } from '../instant.ts';
import { PAGE_LIMIT } from '../limits.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import { UNKNOWN_POSITION } from '../position/position.ts';
import { UNKNOWN_ROOM } from '../reading/room.ts';
import type { SourceSettings } from './source-settings.ts';
import type { LaneState, SourceState } from './source-state.ts';

export interface FirstStateOptions {
  readonly settings: Pick<SourceSettings, 'name' | 'baseline'>;
  readonly mintedIn: string;
  /** By the local clock; it must be later than that of any earlier state. */
  readonly mintedAt: Instant;
}

/** Returns the first state; its version is 0 until it is saved. */
export function firstState({ settings, mintedIn, mintedAt }: FirstStateOptions): SourceState {
  return {
    source: settings.name,
    version: 0,
    generation: Math.floor(mintedAt / MILLISECOND).toString(36),
    earlierGenerations: [],
    mintedIn,
    startedAt: mintedAt,
    mode: settings.baseline,
    baselineAt: undefined,
    lease: NO_LEASE,
    lastSlot: 0,
    position: UNKNOWN_POSITION,
    room: { ...UNKNOWN_ROOM, since: mintedAt },
    limit: PAGE_LIMIT,
    stampForm: { zoned: true, digits: 6 },
    lanes: { late: newLane(mintedAt), recent: newLane(mintedAt), older: newLane(mintedAt) },
    lookUps: [],
    findings: [],
    setAside: [],
    pausedUntil: 0,
    seenWith: undefined,
    holds: [],
    lastHold: 0,
    compared: '',
    removals: 0,
    backfilled: 0,
    fieldsSince: {},
    fieldsShown: {},
    health: { degradedSince: undefined, reasons: [], restUntil: 0, refusals: 0, failure: undefined },
    feedSequence: 0,
    feedReports: [],
    readSequence: 0,
    readReportAt: undefined,
    driftReported: [],
    pace: undefined,
    baseUrl: undefined,
  };
}

function newLane(now: Instant): LaneState {
  return { dueAt: now, round: undefined, endedAt: now, groups: 0, requests: 0, missing: 0, cuts: [] };
}
