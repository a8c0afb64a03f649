// What the walks of a month read, by the core's own rhythms: the model has none of its own.
import { MINUTE } from '../../shared/instant.ts';
import { PAGE_LIMIT } from '../../shared/limits.ts';
import { rowsOfPiece, UNKNOWN_ROOM } from '../../shared/reading/room.ts';
import { earlier, isJoined, walkRhythm } from '../../shared/source/rhythms.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { aState, lanesWith, SETTINGS } from '../shared/a-state.ts';
import { MINUTES, PRICE, UNITS } from './cost-units.ts';

/** The groups that a feed knows. */
export interface Known {
  readonly groups: number;
  /** Those of the last 45 days. */
  readonly recentGroups: number;
}

interface Walks {
  /** Minutes between their starts. */
  readonly every: number;
  /** Requests to the service in a month. */
  readonly requests: number;
  /** Entries of the index that queries read in a month. */
  readonly entries: number;
}

/** Pages are as long as the limit. */
const ROOM = { ...UNKNOWN_ROOM, rows: PAGE_LIMIT, groups: PAGE_LIMIT, planned: PAGE_LIMIT };
const GROUPS_PER_REQUEST = rowsOfPiece(ROOM, PAGE_LIMIT);

/** The walks over recent groups, or over all where that is cheap, and those over older ones. */
export function walksOf({ groups, recentGroups }: Known, intervalMs = SETTINGS.intervalMs): Walks[] {
  const older = groups - recentGroups;
  const lanes = lanesWith({ recent: { groups: recentGroups }, older: { groups: older } });
  const state = aState({ lanes, room: ROOM, baselineAt: 0 });
  if (isJoined(state, SETTINGS)) return [walksOver('recent', groups, state, intervalMs)];
  return [walksOver('recent', recentGroups, state, intervalMs), walksOver('older', older, state, intervalMs)];
}

function walksOver(name: 'recent' | 'older', groups: number, state: SourceState, intervalMs: number): Walks {
  const pace = { ...SETTINGS, intervalMs };
  const { requests, entries } = oneWalk(groups);
  const rhythm = walkRhythm(name, isJoined(state, pace), requests, pace);
  // A walk begins in a tick.
  const interval = intervalMs / 60_000;
  const every = Math.ceil((rhythm - earlier(rhythm)) / MINUTE / interval) * interval;
  const walks = MINUTES / every;
  return { every, requests: walks * requests, entries: walks * entries };
}

/** For each piece a query of all that is left, of which DynamoDB reads a page. */
function oneWalk(groups: number): { readonly requests: number; readonly entries: number } {
  const requests = Math.ceil(groups / GROUPS_PER_REQUEST);
  const left = Array.from({ length: requests }, (_, piece) => groups - piece * GROUPS_PER_REQUEST);
  return { requests, entries: left.reduce((sum, rest) => sum + Math.min(rest, UNITS.indexPage), 0) };
}

/** The poller's time for them. */
export function secondsOf({ requests, entries }: Pick<Walks, 'requests' | 'entries'>): number {
  return requests * UNITS.requestSeconds + entries * UNITS.entrySeconds;
}

/** The cost of walks: of the index, and of the poller that asks and reads. */
export function costOfWalks(walks: readonly Pick<Walks, 'requests' | 'entries'>[]): number {
  return walks.reduce(
    (sum, each) =>
      sum +
      each.entries * UNITS.indexRead * PRICE.read +
      secondsOf(each) * UNITS.pollerGb * PRICE.lambdaGbSecond,
    0,
  );
}

/** The cost of one walk over this many groups. */
export function costOfWalk(groups: number): number {
  return costOfWalks([oneWalk(groups)]);
}
