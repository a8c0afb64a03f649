// R2 and R5: how a full answer divides its range. A range is cut along its active stamp; where that is narrow, or a crowd
// of rows has it within a second, along the other stamp; where both are, it is read by offset. The parts together are the
// range, so no row is lost whatever the order of the list. Parts are returned in the order of reading: first the part
// that the rows of the answer fill, so that few parts wait at a time.
import { type Instant, SECOND } from '../instant.ts';
import type { ReadableRow } from '../returns-service/parse-return-group.ts';
import { activeOf, EARLIEST, isWithin, LATEST, type Range, stampOf, withActive } from './range.ts';

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

/** Returns the parts of a range whose answer is full. A part that can't be divided has a `pass`: read it by offset. */
export function cutFull(range: Range, rows: readonly Stamps[], first: 'newest' | 'oldest'): Range[] {
  if (rows.length === 0) return [byOffset({ ...range, cross: range.cross ?? {} })];
  const { axis, from = EARLIEST, to = LATEST } = activeOf(range);
  if (to - from < NARROWEST) return acrossOrByOffset(range, rows, first);
  const stamps = rows.map((row) => stampOf(row, axis));
  const order = orderOf(stamps);
  const sorted = stamps.toSorted((a, b) => a - b);
  // Answers show rows up to a second outside of their range.
  const middle = clamp(at(sorted, 0.5), from, to - 1);
  const crowd = rows.filter((row) => isNear(stampOf(row, axis), middle));
  if (crowd.length >= rows.length / 2) {
    const second = Math.floor(middle / SECOND) * SECOND;
    const cuts = [second - BEFORE_CROWD, second + AFTER_CROWD].filter((cut) => cut > from && cut < to);
    return inOrder(divide(range, cuts), order, first).flatMap((part) =>
      isWithin(middle, activeOf(part)) ? acrossOrByOffset(part, crowd, first) : [part],
    );
  }
  const share = order === 'up' ? IN_ORDER : order === 'down' ? 1 - IN_ORDER : 0.5;
  return inOrder(divide(range, [clamp(at(sorted, share), from + FROM_EDGE, to - FROM_EDGE)]), order, first);
}

/** Cuts the range along its active stamp, the oldest part first. @param cuts within the range, in order */
export function divide(range: Range, cuts: readonly Instant[]): Range[] {
  const { from, to } = activeOf(range);
  return [from, ...cuts].map((start, index) => withActive(range, { from: start, to: cuts[index] ?? to }));
}

/** Cuts a range that is narrow, or holds a crowd, along its other stamp; not at all if it is so along both. */
function acrossOrByOffset(range: Range, rows: readonly Stamps[], first: 'newest' | 'oldest'): Range[] {
  if (range.cross === undefined) return cutFull({ ...range, cross: {} }, rows, first);
  const { axis, from = EARLIEST, to = LATEST } = range;
  const stamps = rows.map((row) => stampOf(row, axis)).toSorted((a, b) => a - b);
  const middle = at(stamps, 0.5);
  const isCrowd = stamps.filter((stamp) => isNear(stamp, middle)).length >= stamps.length / 2;
  if (to - from < NARROWEST || isCrowd) return [byOffset(range)];
  const cut = clamp(middle, from + FROM_EDGE, to - FROM_EDGE);
  return [
    { ...range, to: cut },
    { ...range, from: cut },
  ];
}

function byOffset(range: Range): Range {
  return { ...range, pass: { number: 1, offset: 0 } };
}

function inOrder(parts: Range[], order: Order, first: 'newest' | 'oldest'): Range[] {
  const isDown = order === undefined ? first === 'newest' : order === 'down';
  return isDown ? parts.toReversed() : parts;
}

/** Undefined also for stamps that are all equal. */
function orderOf(stamps: readonly Instant[]): Order {
  const isUp = stamps.every((stamp, index) => stamp >= (stamps[index - 1] ?? stamp));
  const isDown = stamps.every((stamp, index) => stamp <= (stamps[index - 1] ?? stamp));
  return isUp === isDown ? undefined : isUp ? 'up' : 'down';
}

function at(sorted: readonly Instant[], share: number): Instant {
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

function isNear(stamp: Instant, other: Instant): boolean {
  return Math.abs(stamp - other) <= SECOND;
}

function clamp(instant: Instant, low: Instant, high: Instant): Instant {
  return Math.min(Math.max(instant, low), high);
}
