// Time as the service tells it. Stamps come in any ISO 8601 precision, with an offset, `Z` or no zone at all
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

/** A parsed stamp. `zoned` tells whether it named an offset; without one it was read as if it were UTC. */
export interface Stamp {
  readonly instant: Instant;
  readonly zoned: boolean;
  /** Digits of the fraction of a second, 0 to 6; more are cut off. */
  readonly precision: number;
}

const STAMP =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?$/;

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
    utc,
    sign,
    offsetHours,
    offsetMinutes = '0',
  ] = match;
  const milliseconds = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const date = new Date(milliseconds);
  // Date.UTC rolls over; a 31st of February or a 25th hour must not become another day.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const microseconds = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const offset =
    sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  return {
    instant: milliseconds * MILLISECOND + microseconds - offset * MINUTE,
    zoned: utc !== undefined || sign !== undefined,
    precision: Math.min(fraction.length, 6),
  };
}

/** The instant as `2026-11-20T10:15:02.123456Z`; always six digits, so that texts sort like instants. */
export function formatInstant(instant: Instant): string {
  const milliseconds = Math.floor(instant / MILLISECOND);
  const rest = instant - milliseconds * MILLISECOND;
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}
