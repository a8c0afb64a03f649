// R2 and R5: how a full answer divides its range. A range is cut along its active stamp; where that is narrow, or a crowd
// of rows has it within a second, along the other stamp; where both are, it is read by offset. The parts together are the
// range, so no row is lost whatever the order of the list. Parts are returned in the order of reading: first the part that the rows of the answer fill, so
// that few parts wait at a time.
import { type Instant, SECOND } from '../instant.ts';
import type { ReadableRow } from '../returns-service/parse-return-group.ts';
import { type Axis, activeOf, type Interval, otherAxis, type Range, stampOf, withActive } from './range.ts';

/** A range this narrow is cut along the other axis. */
export const NARROWEST = 6 * SECOND;
/** A cut is never nearer to an edge. */
const FROM_EDGE = 2 * SECOND;
/** A crowd is a second that holds half of the rows; its range reaches this far around it. */
const BEFORE_CROWD = 2 * SECOND;
const AFTER_CROWD = 3 * SECOND;
/** Rows in order fill one end of their range: it is cut there. */
const IN_ORDER = 0.75;

type Stamps = Pick<ReadableRow, 'createdAt' | 'updatedAt'>;
type Order = 'up' | 'down' | undefined;

export interface Ends {
  /** Where the range begins and ends, also if it is open. */
  readonly low: Instant;
  readonly high: Instant;
}

/** Returns the parts of a range whose answer is full. A part that can't be divided has a `pass`: read it by offset. */
export function cutFull(
  range: Range,
  rows: readonly Stamps[],
  ends: Ends,
  first: 'newest' | 'oldest',
): Range[] {
  const active = activeOf(range);
  const stamps = rows.map((row) => stampOf(row, active.axis));
  const order = orderOf(stamps);
  if (ends.high - ends.low < NARROWEST || stamps.length === 0) return acrossOrByOffset(range, rows);
  const sorted = stamps.toSorted((a, b) => a - b);
  const middle = at(sorted, 0.5);
  const crowd = rows.filter((row) => isNear(stampOf(row, active.axis), middle));
  if (crowd.length >= rows.length / 2) {
    const second = Math.floor(middle / SECOND) * SECOND;
    const from = Math.max(second - BEFORE_CROWD, active.from ?? Number.NEGATIVE_INFINITY);
    const to = Math.min(second + AFTER_CROWD, active.to ?? Number.POSITIVE_INFINITY);
    const below =
      active.from === undefined || from > active.from ? [withActive(range, { ...active, to: from })] : [];
    const above =
      active.to === undefined || to < active.to ? [withActive(range, { ...active, from: to })] : [];
    const within = acrossOrByOffset(withActive(range, { from, to }), crowd);
    return inOrder([below, within, above], order, first).flat();
  }
  const share = order === 'up' ? IN_ORDER : order === 'down' ? 1 - IN_ORDER : 0.5;
  const low = active.from ?? Math.min(ends.low, at(sorted, 0) - 2 * FROM_EDGE);
  const cut = Math.min(Math.max(at(sorted, share), low + FROM_EDGE), ends.high - FROM_EDGE);
  return inOrder(divide(range, active, cut), order, first);
}

/** Cuts the range at an instant, the older part first. */
export function divide(range: Range, { from, to }: Interval, cut: Instant): Range[] {
  return [withActive(range, { from, to: cut }), withActive(range, { from: cut, to })];
}

/** Cuts along the other stamp, or not at all if the rows are a crowd along both. */
function acrossOrByOffset(range: Range, rows: readonly Stamps[]): Range[] {
  if (range.cross === undefined)
    return cutAcross({ ...range, isRest: undefined }, rows, otherAxis(range.axis));
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  const sorted = rows.map((row) => stampOf(row, range.axis)).toSorted((a, b) => a - b);
  const middle = at(sorted, 0.5);
  const isCrowd = sorted.filter((stamp) => isNear(stamp, middle)).length >= sorted.length / 2;
  if (sorted.length === 0 || to - from < NARROWEST || isCrowd) return [byOffset(range)];
  const cut = Math.min(Math.max(middle, from + FROM_EDGE), to - FROM_EDGE);
  return [
    { ...range, to: cut },
    { ...range, from: cut },
  ];
}

function cutAcross(range: Range, rows: readonly Stamps[], axis: Axis): Range[] {
  const stamps = rows.map((row) => stampOf(row, axis));
  if (stamps.length === 0) return [byOffset({ ...range, cross: {} })];
  const sorted = stamps.toSorted((a, b) => a - b);
  const middle = at(sorted, 0.5);
  if (sorted.filter((stamp) => isNear(stamp, middle)).length >= sorted.length / 2) {
    const second = Math.floor(middle / SECOND) * SECOND;
    const [from, to] = [second - BEFORE_CROWD, second + AFTER_CROWD];
    return [
      { ...range, cross: { to: from } },
      byOffset({ ...range, cross: { from, to } }),
      { ...range, cross: { from: to } },
    ];
  }
  const order = orderOf(stamps);
  const cut = at(sorted, order === 'up' ? IN_ORDER : order === 'down' ? 1 - IN_ORDER : 0.5);
  const parts = [
    { ...range, cross: { to: cut } },
    { ...range, cross: { from: cut } },
  ];
  return order === 'down' ? parts.toReversed() : parts;
}

function byOffset(range: Range): Range {
  return { ...range, pass: { number: 1, groups: 0, sum: 0 } };
}

function inOrder<Part>(parts: Part[], order: Order, first: 'newest' | 'oldest'): Part[] {
  const isDown = order === undefined ? first === 'newest' : order === 'down';
  return isDown ? parts.toReversed() : parts;
}

function orderOf(stamps: readonly Instant[]): Order {
  const isUp = stamps.every((stamp, index) => index === 0 || stamp >= (stamps[index - 1] ?? stamp));
  const isDown = stamps.every((stamp, index) => index === 0 || stamp <= (stamps[index - 1] ?? stamp));
  return isUp === isDown ? undefined : isUp ? 'up' : 'down';
}

function at(sorted: readonly Instant[], share: number): Instant {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function isNear(stamp: Instant, other: Instant): boolean {
  return Math.abs(stamp - other) <= SECOND;
}
