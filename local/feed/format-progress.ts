// Formats the progress of a baseline as one line. The pace comes from this process's recent reports only, so that an
// interruption does not make a resumed baseline look slow. A slow baseline names its causes.
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { counted, formatCount } from '../cli/counts.ts';

export interface BaselineProgress {
  /** Notes what slows the baseline down. @param now milliseconds since the epoch */
  note(report: Pick<TickReport, 'rateLimited' | 'error' | 'state'>, now: number): void;
  /** @param now milliseconds since the epoch */
  line(state: Pick<SourceState, 'baselineAt' | 'lanes'>, now: number): string;
}

interface Point {
  readonly at: number;
  readonly groups: number;
}

/** Points for the pace: enough to smooth it, few enough to follow changes. */
const POINTS_KEPT = 10;
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
    note({ rateLimited, error, state }, now) {
      if (rateLimited > 0) causes.set('the service refuses requests as too many (429)', now);
      if (error !== undefined) causes.set(error.message.replace(/\.$/, ''), now);
      const { limit = SMALL_PAGE } = state ?? {};
      if (limit < SMALL_PAGE) causes.set(`pages of ${limit} rows`, now);
    },
    line({ baselineAt, lanes: { recent } }, now) {
      if (baselineAt !== undefined) return `baseline complete: ${counted(recent.groups, 'group')}`;
      const { groups = 0, requests = 0 } = recent.round ?? {};
      if (points.at(-1)?.groups !== groups) points = [...points, { at: now, groups }].slice(-POINTS_KEPT);
      const pace = groupsPerSecond(points, now);
      const isSlow = pace === undefined ? isStuck(points, now) : pace < SLOW;
      // Least important last: a narrow terminal cuts off the end.
      return [
        `baseline: ${counted(groups, 'group')}`,
        ...(pace === undefined
          ? []
          : [`${formatCount(pace < 10 ? Number(pace.toFixed(1)) : Math.round(pace))} groups/s`]),
        ...(isSlow ? findCauses(now) : []),
        counted(requests, 'request'),
      ].join(', ');
    },
  };
}

/** Also falls while nothing is read; undefined at first, and where a round began anew. */
function groupsPerSecond(points: readonly Point[], now: number): number | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at || last.groups < first.groups)
    return undefined;
  return ((last.groups - first.groups) / (now - first.at)) * 1_000;
}

function isStuck([first]: readonly Point[], now: number): boolean {
  return first !== undefined && now - first.at >= STUCK_AFTER_MS;
}
