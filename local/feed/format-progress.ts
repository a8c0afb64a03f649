// Formats the progress of a baseline as one line. The pace comes from this process's recent reports only, so that an
// interruption does not make a resumed baseline look slow. A slow baseline names its causes.
import type { BaselineState } from '../../shared/source/source-state.ts';
import type { TickReport } from '../../shared/lanes/tick-report.ts';
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';

export interface BaselineProgress {
  /** Notes what slows the baseline down. @param now milliseconds since the epoch */
  note(report: TickReport, now: number): void;
  /** @param now milliseconds since the epoch */
  line(baseline: BaselineState, now: number): string;
}

interface Point {
  readonly at: number;
  readonly groups: number;
}

/** Points for the pace: enough to smooth it, few enough to follow changes. */
const POINTS_KEPT = 10;
/** Estimates this low say only that there are not more groups than that. */
export const SMALLEST_ESTIMATE = 1_000;
/** Below this pace, in groups a second, people ask for the cause. Pages of 20 rows at one a second are as fast. */
const SLOW = 20;
/** A first report after this time without progress counts as slow. */
const STUCK_AFTER_MS = 10_000;
/** A cause is shown until it has not occurred for this long. */
const CAUSE_LASTS_MS = 60_000;
/** A page this small makes a baseline slow. */
const SMALL_PAGE = 50;

export function createBaselineProgress(): BaselineProgress {
  let points: Point[] = [];
  const causes = new Map<string, number>();

  function findCauses(now: number): string[] {
    for (const [cause, at] of causes) if (now - at > CAUSE_LASTS_MS) causes.delete(cause);
    return [...causes.keys()];
  }

  return {
    note({ unstable, rateLimited, error, state }, now) {
      if (unstable !== undefined) causes.set(`the list does not keep its order (${unstable})`, now);
      if (rateLimited > 0) causes.set('the service refuses requests as too many (429)', now);
      if (error !== undefined) causes.set(error.message.replace(/\.$/, ''), now);
      const { pageLimit = SMALL_PAGE } = state ?? {};
      if (pageLimit < SMALL_PAGE) causes.set(`pages of ${pageLimit} rows`, now);
    },
    line({ status, groups: read, requests, estimatedGroups = 0 }, now) {
      const last = points.at(-1)?.groups ?? 0;
      // Fewer groups than before: a range could not be covered, and is read again.
      const groups = Math.max(read, last);
      if (last !== groups || points.length === 0)
        points = [...points, { at: now, groups }].slice(-POINTS_KEPT);
      const sent = counted(requests, 'request');
      if (status === 'completed') return `baseline complete: ${counted(read, 'group')}, ${sent}`;
      const isEstimated = estimatedGroups > Math.max(SMALLEST_ESTIMATE, groups);
      const of = isEstimated ? `${formatCount(groups)} of ~` : '';
      const pace = groupsPerSecond(points, now);
      const isSlow = pace === undefined ? isStuck(points, now) : pace < SLOW;
      // Least important last: a narrow terminal cuts off the end.
      return [
        `baseline: ${of}${counted(isEstimated ? estimatedGroups : groups, 'group')}`,
        ...timeLeft({ groups, estimatedGroups, pace, isSlow }),
        ...(pace === undefined
          ? []
          : [`${formatCount(pace < 10 ? Number(pace.toFixed(1)) : Math.round(pace))} groups/s`]),
        ...(read < groups ? ['reading a range again'] : []),
        ...(isSlow ? findCauses(now) : []),
        sent,
      ].join(', ');
    },
  };
}

interface Pacing {
  readonly groups: number;
  /** 0 if there is none. */
  readonly estimatedGroups: number;
  readonly pace: number | undefined;
  readonly isSlow: boolean;
}

function timeLeft({ groups, estimatedGroups, pace, isSlow }: Pacing): string[] {
  if (pace === undefined || estimatedGroups <= groups) return isSlow ? ['time left unknown'] : [];
  const left = formatDuration(((estimatedGroups - groups) / pace) * 1_000);
  if (estimatedGroups > SMALLEST_ESTIMATE) return [`~${left} left`];
  return isSlow ? [`at most ~${left} left`] : [];
}

/** Also falls while nothing is read. */
function groupsPerSecond(points: readonly Point[], now: number): number | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at) return undefined;
  return ((last.groups - first.groups) / (now - first.at)) * 1_000;
}

function isStuck([first]: readonly Point[], now: number): boolean {
  return first !== undefined && now - first.at >= STUCK_AFTER_MS;
}
