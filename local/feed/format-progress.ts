// How far a baseline is, in one line. Pace and time left come from what was seen here: a baseline that was taken up
// again after a rest must not look as slow as the rest made it.
import type { BaselineState } from '../../shared/source-state.ts';
import { formatDuration } from '../cli/durations.ts';

export interface BaselineProgress {
  /** @param now milliseconds since the epoch */
  line(baseline: BaselineState, now: number): string;
}

interface Point {
  readonly at: number;
  readonly groups: number;
  readonly coveredThrough: number | undefined;
}

/** Points that the pace is taken from: enough to even out, few enough to follow. */
const POINTS_KEPT = 10;
/** A pace that few points make is a guess. */
const POINTS_NEEDED = 4;

export function createBaselineProgress(): BaselineProgress {
  let points: Point[] = [];

  function note(point: Point): void {
    const last = points.at(-1);
    if (last?.groups === point.groups && last.coveredThrough === point.coveredThrough) return;
    // Before the first group there are years of nothing, passed in no time.
    points = point.groups === points[0]?.groups ? [point] : [...points, point].slice(-POINTS_KEPT);
  }

  return {
    line(baseline, now) {
      const { groups, requests, coveredThrough } = baseline;
      note({ at: now, groups, coveredThrough });
      const told = [`${count(groups, 'group')}`, `${count(requests, 'request')}`];
      if (baseline.status === 'completed') return `baseline complete: ${told.join(', ')}`;
      const pace = paceOf(points);
      if (pace !== undefined) told.push(`${Math.round(pace.groupsPerSecond).toLocaleString('en')} groups/s`);
      if (pace !== undefined && points.length >= POINTS_NEEDED && coveredThrough !== undefined) {
        const left = (now - coveredThrough / 1_000) / pace.coveredPerMs;
        told.push(`about ${formatDuration(left)} left`);
      }
      return `baseline: ${told.join(', ')}`;
    },
  };
}

/** From the first point to the last; undefined as long as there is no group, or no way, between them. */
function paceOf(points: readonly Point[]) {
  const [first, last] = [points[0], points.at(-1)];
  if (first?.coveredThrough === undefined || last?.coveredThrough === undefined) return undefined;
  const elapsedMs = last.at - first.at;
  const covered = last.coveredThrough - first.coveredThrough;
  if (elapsedMs <= 0 || covered <= 0) return undefined;
  return {
    groupsPerSecond: ((last.groups - first.groups) / elapsedMs) * 1_000,
    /** Milliseconds of creation time to one of ours. */
    coveredPerMs: covered / 1_000 / elapsedMs,
  };
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
