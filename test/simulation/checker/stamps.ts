// Stamps and the feed's own times as numbers. Parsed again here: a mistake in the feed's parser must not hide itself.
import type { Time } from './evidence.ts';

const STAMP = /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?$/;

/** The moment of a stamp; without a zone it is UTC. Undefined for any other text. */
export function timeOf(stamp: string): Time | undefined {
  const match = STAMP.exec(stamp);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  return date.getTime() * 1_000 + Number(fraction.padEnd(6, '0')) - offsetOf(zone);
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000_000;
}

/** Whether two stamps name the same moment, within the precision of numbers of microseconds. */
export function isSameMoment(a: Time, b: Time): boolean {
  return Math.abs(a - b) <= Math.abs(a) * 2 ** -52;
}
