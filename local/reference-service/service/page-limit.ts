// The number of rows of a page: the default, the maximum, the answer above it, and its changes over time.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { type Problem, problemWith } from './validation.ts';

/**
 * The number of rows of a page, or the problem with the limit.
 *
 * @param asked the request's limit
 * @param age time since the service started
 */
export function pageLimit(asked: number | undefined, knobs: Knobs, age: Instant): number | Problem {
  const most = mostRows(knobs, age);
  if (asked === undefined) return Math.min(knobs.limitDefault, most);
  if (asked <= most || knobs.limitOver === 'clamp') return Math.min(asked, most);
  return problemWith('limit', `Input should be less than or equal to ${most}`, 'less_than_equal');
}

function mostRows({ limitMax, limitChanges }: Knobs, age: Instant): number {
  if (limitChanges === 'none') return limitMax;
  const [, latest = limitMax] =
    limitChanges
      .split(',')
      .map((change) => change.split(':').map(Number))
      .filter(([afterSeconds = 0]) => age >= afterSeconds * SECOND)
      .sort(([one = 0], [other = 0]) => one - other)
      .at(-1) ?? [];
  return Math.max(1, latest);
}
