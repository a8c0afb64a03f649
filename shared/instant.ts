// The service's time. Stamps come in any ISO 8601 precision, with an offset, `Z` or no zone at all
// (returns-data-service.md, "Resources and their fields"); they are compared as whole microseconds since the
// epoch. A number holds them exactly until the year 2255.

/** Microseconds since 1970-01-01T00:00:00Z, an integer. */
export type Instant = number;

/** One millisecond, second, minute, hour and day in the unit of {@link Instant}. */
export const MILLISECOND = 1_000;
export const SECOND = 1_000 * MILLISECOND;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A parsed stamp. `zoned`: whether it named an offset; without one it was read as UTC. */
export interface Stamp {
  readonly instant: Instant;
  readonly zoned: boolean;
  /** Digits of the fraction of a second, 0 to 6; more are cut off. */
  readonly precision: number;
}

const STAMP =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** Date.UTC reads the years 0 to 99 as 1900 to 1999; the calendar repeats itself after so many years. */
const CALENDAR_YEARS = 400;
const CALENDAR_MS = 146_097 * (DAY / MILLISECOND);

/**
 * Reads an ISO 8601 timestamp.
 *
 * @returns the stamp, or undefined for anything that is not a date and a time of the calendar.
 */
export function parseStamp(text: string): Stamp | undefined {
  const match = STAMP.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = '0',
    fraction = '',
    zulu,
    sign,
    offsetHours,
    offsetMinutes = '0',
  ] = match;
  const isEarly = Number(year) < 100;
  const isLeapSecond = Number(second) === 60;
  const utc = Date.UTC(
    Number(year) + (isEarly ? CALENDAR_YEARS : 0),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    isLeapSecond ? 59 : Number(second),
  );
  const milliseconds = isEarly ? utc - CALENDAR_MS : utc;
  const date = new Date(milliseconds);
  // Date.UTC rolls over; a 31st of February or a 25th hour must not become another day.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  // The last moment of its minute: later than all before, and before the next minute.
  const microseconds = isLeapSecond ? SECOND - 1 : Number(fraction.slice(0, 6).padEnd(6, '0'));
  const offset =
    sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  return {
    instant: milliseconds * MILLISECOND + microseconds - offset * MINUTE,
    zoned: zulu !== undefined || sign !== undefined,
    precision: Math.min(fraction.length, 6),
  };
}

const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The instant with so many digits of the second; finer ones are cut off. */
export function floorToDigits(instant: Instant, digits: number): Instant {
  const step = 10 ** (6 - digits);
  return Math.floor(instant / step) * step;
}

/**
 * The instant as `2026-11-20T10:15:02.123456Z`; always four digits of the year and six of the second, so that texts
 * sort like instants. An instant outside of these years becomes the first or the last of them.
 */
export function formatInstant(instant: Instant): string {
  const milliseconds = Math.floor(instant / MILLISECOND);
  if (milliseconds < FIRST_MS) return '0000-01-01T00:00:00.000000Z';
  if (milliseconds > LAST_MS) return '9999-12-31T23:59:59.999999Z';
  // Not negative: after the year 2255 the quotient may be rounded up.
  const rest = Math.max(0, instant - milliseconds * MILLISECOND);
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}
