// The state with which a source begins. Nothing is read for it: polls begin the lookback and `settle` before the start.
import { type Instant, MILLISECOND } from '../instant.ts';
import { PAGE_LIMIT } from '../limits.ts';
import { NO_LEASE } from '../pacing/lease.ts';
import { UNKNOWN_ROOM } from '../reading/room.ts';
import type { SourceSettings } from './source-settings.ts';
import type { LaneState, SourceState } from './source-state.ts';

export interface FirstStateOptions {
  readonly settings: Pick<SourceSettings, 'name' | 'baseline' | 'lookbackMs' | 'settleMs'>;
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
    cursor: firstCursor(mintedAt, settings),
    newestAt: [],
    newest: undefined,
    room: UNKNOWN_ROOM,
    limit: PAGE_LIMIT,
    stampForm: { zoned: true, digits: 6 },
    lanes: { late: newLane(mintedAt), recent: newLane(mintedAt), older: newLane(mintedAt) },
    lookUps: [],
    places: [],
    findings: [],
    setAside: [],
    pausedUntil: 0,
    seenWith: undefined,
    holds: [],
    lastHold: 0,
    compared: '',
    removals: 0,
    fieldsSince: {},
    health: { degradedSince: undefined, reasons: [], restUntil: 0, refusals: 0, failure: undefined },
    feedSequence: 0,
    feedReports: [],
    readSequence: 0,
    readReport: undefined,
    driftReported: [],
    pace: undefined,
    baseUrl: undefined,
  };
}

/** How long before a moment a change may be stamped that polls can still find from then on. */
export function reachBack({ lookbackMs, settleMs }: Pick<SourceSettings, 'lookbackMs' | 'settleMs'>): number {
  return (lookbackMs + settleMs) * MILLISECOND;
}

function firstCursor(start: Instant, settings: FirstStateOptions['settings']): Instant {
  return start - reachBack(settings);
}

function newLane(now: Instant): LaneState {
  return { dueAt: now, round: undefined, readAt: undefined, endedAt: now, groups: 0, missing: 0, cuts: [] };
}
