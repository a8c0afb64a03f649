// How far a baseline is, in one line. The pace is that of the last while, here: a baseline that is taken up again
// after a rest must not look as slow as the rest made it.
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

/** Points that the pace is taken from: enough to even out, few enough to follow. */
const POINTS_KEPT = 10;
/** An estimate this low only says that there are no more, and they are soon read. */
const SMALLEST_ESTIMATE = 1_000;

export function createBaselineProgress(): BaselineProgress {
  let points: Point[] = [];

  return {
    line({ status, groups, requests, estimatedGroups = 0 }, now) {
      const last = points.at(-1)?.groups;
      // Fewer than before: what a tick could not finish is read again.
      if (last !== undefined && groups < last) points = [];
      if (last !== groups) points = [...points, { at: now, groups }].slice(-POINTS_KEPT);
      const sent = count(requests, 'request');
      if (status === 'completed') return `baseline complete: ${count(groups, 'group')}, ${sent}`;
      const isEstimated = estimatedGroups > Math.max(SMALLEST_ESTIMATE, groups);
      const of = isEstimated ? `${formatCount(groups)} of ~` : '';
      const told = [`baseline: ${of}${count(isEstimated ? estimatedGroups : groups, 'group')}`];
      const pace = groupsPerSecond(points);
      if (pace !== undefined && isEstimated)
        told.push(`~${formatDuration(((estimatedGroups - groups) / pace) * 1_000)} left`);
      if (pace !== undefined) told.push(`${formatCount(Math.round(pace))} groups/s`);
      // The last is what a narrow terminal cuts off.
      return [...told, sent].join(', ');
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
