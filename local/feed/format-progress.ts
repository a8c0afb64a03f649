// Formats the progress of a baseline as one line. The pace comes from this process's recent reports only, so that an
// interruption does not make a resumed baseline look slow.
import type { BaselineState } from '../../shared/source/source-state.ts';
import { formatDuration } from '../cli/durations.ts';

export interface BaselineProgress {
  /** @param now milliseconds since the epoch */
  line(baseline: BaselineState, now: number): string;
}

interface Point {
  readonly at: number;
  readonly groups: number;
}

/** Points for the pace: enough to smooth it, few enough to follow changes. */
const POINTS_KEPT = 10;
/** Estimates this low say only that there are not more groups than that, and these are read soon. */
const SMALLEST_ESTIMATE = 1_000;

export function createBaselineProgress(): BaselineProgress {
  let points: Point[] = [];

  return {
    line({ status, groups, requests, estimatedGroups = 0 }, now) {
      const last = points.at(-1)?.groups;
      // Fewer groups than before: a tick could not finish its range, and the range is read again.
      if (last !== undefined && groups < last) points = [];
      if (last !== groups) points = [...points, { at: now, groups }].slice(-POINTS_KEPT);
      const sent = count(requests, 'request');
      if (status === 'completed') return `baseline complete: ${count(groups, 'group')}, ${sent}`;
      const isEstimated = estimatedGroups > Math.max(SMALLEST_ESTIMATE, groups);
      const of = isEstimated ? `${formatCount(groups)} of ~` : '';
      const parts = [`baseline: ${of}${count(isEstimated ? estimatedGroups : groups, 'group')}`];
      const pace = groupsPerSecond(points);
      if (pace !== undefined && isEstimated)
        parts.push(`~${formatDuration(((estimatedGroups - groups) / pace) * 1_000)} left`);
      if (pace !== undefined) parts.push(`${formatCount(Math.round(pace))} groups/s`);
      // Least important last: a narrow terminal cuts off the end.
      return [...parts, sent].join(', ');
    },
  };
}

function groupsPerSecond(points: readonly Point[]): number | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at) return undefined;
  return ((last.groups - first.groups) / (last.at - first.at)) * 1_000;
}

function count(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
}

function formatCount(number: number): string {
  return number.toLocaleString('en');
}
