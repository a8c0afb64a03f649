// Queries of the store, independent of the texts of the request and of the knobs for bounds: ranges are half-open and
// in microseconds.

import type { Instant } from '../../../shared/instant.ts';
import type { Order } from './orders.ts';

/** Instants from `from` (included) to `until` (excluded). */
export interface Range {
  readonly from: Instant;
  readonly until: Instant;
}

export interface GroupFilter {
  readonly groupId?: number | undefined;
  readonly email?: string | undefined;
  readonly orderId?: number | undefined;
  readonly orderName?: string | undefined;
  readonly trackingCode?: string | undefined;
  readonly created?: Range | undefined;
  readonly updated?: Range | undefined;
  /** Matches a group if any of its shipments was shipped within the range. */
  readonly shipped?: Range | undefined;
}

export interface GroupQuery extends GroupFilter {
  readonly offset: number;
  readonly limit: number;
}

export interface Manner {
  readonly order: Order;
  readonly ties: 'stable' | 'unstable';
  /** In microseconds; stamps within the same unit are equal. */
  readonly unit: number;
  readonly strings: 'exact' | 'ignore-case' | 'partial';
}

export function isWithin(instant: Instant, range: Range | undefined): boolean {
  return range === undefined || (instant >= range.from && instant < range.until);
}

/** Whether a text matches a string filter. */
export function isMatch(text: string | null, wanted: string, strings: Manner['strings']): boolean {
  if (text === null) return false;
  if (strings === 'exact') return text === wanted;
  const one = text.toLowerCase();
  const other = wanted.toLowerCase();
  return strings === 'partial' ? one.includes(other) : one === other;
}
