// R4, the bounds of a range as they are sent: in the form of the service's stamps, and from a second earlier, so that
// neither exclusive bounds nor rounded stamps leave a gap between neighbours.
import { floorToDigits, formatInstant, type Instant } from '../instant.ts';
import { RANGE_OVERLAP } from '../limits.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';
import type { StampsState } from '../source/source-state.ts';
import type { Interval, Range } from './page.ts';

type StampForm = Pick<StampsState, 'zoned' | 'precision'>;

/** The query's bounds for a range. */
export function boundsOf({ updated, created }: Range, form: StampForm): ReturnGroupsQuery {
  const [minUpdatedAt, maxUpdatedAt] = boundsOfInterval(updated, form);
  const [minCreatedAt, maxCreatedAt] = boundsOfInterval(created, form);
  return { minUpdatedAt, maxUpdatedAt, minCreatedAt, maxCreatedAt };
}

function boundsOfInterval(
  interval: Interval | undefined,
  form: StampForm,
): [string | undefined, string | undefined] {
  return [
    interval?.from === undefined ? undefined : formatBound(interval.from - RANGE_OVERLAP, form),
    interval?.to === undefined ? undefined : formatBound(interval.to, form),
  ];
}

/** The interval as it is sent, without the overlap: its ends in the digits of the stamps. */
export function inDigits({ from, to }: Interval, { precision }: Pick<StampForm, 'precision'>): Interval {
  return {
    from: from === undefined ? undefined : floorToDigits(from, precision),
    to: to === undefined ? undefined : floorToDigits(to, precision),
  };
}

/** An instant in the form of the service's stamps; finer digits are cut off. */
export function formatBound(instant: Instant, { zoned, precision }: StampForm): string {
  const text = formatInstant(floorToDigits(instant, precision));
  const withoutZone = text.slice(0, precision === 0 ? 19 : 20 + precision);
  return zoned ? `${withoutZone}Z` : withoutZone;
}
