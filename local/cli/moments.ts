// Times as the command line prints them, by one rule: in the local time zone (that of the environment variable TZ, or
// of the machine), in UTC with `--utc`, as `2026-11-20 10:15:02`. Each output names its zone once. JSON, errors and
// texts that leave this machine keep UTC as `2026-11-20T10:15:02Z`, which needs no other line to be understood.

import type { Command } from 'commander';
import { formatInstant, type Instant } from '../../shared/instant.ts';
import { formatDuration } from './durations.ts';

/** An ISO 8601 time with its zone, or milliseconds since the epoch. */
export type Moment = string | number;

export interface Moments {
  /** The present, in milliseconds since the epoch. */
  now(): number;
  /** For instance `2026-11-20 10:15:02`. */
  full(moment: Moment): string;
  /** For instance `10:15:02`. */
  time(moment: Moment): string;
  /** The time; with its date if it is not today. */
  short(moment: Moment): string;
  /** For instance `2026-11-20 10:15:02 (5 min ago)`. */
  withAge(moment: Moment): string;
  /** For instance `5 min`. */
  age(moment: Moment): string;
  /** The zone of these times, for instance `UTC` or `Europe/Berlin, now UTC+01:00`. Print it once in each output. */
  readonly zone: string;
}

export interface MomentsOptions {
  /** The name of a time zone, such as `UTC`; undefined for the local one. */
  readonly zone?: string | undefined;
  readonly now: () => number;
}

export interface MomentsFlags {
  readonly utc: boolean;
}

/** Adds `--utc`, for a command that prints times. */
export function addMomentsOption(command: Command): Command {
  return command.option('--utc', 'print times in UTC instead of the local time zone', false);
}

/** The times of a command with {@link addMomentsOption}. */
export function momentsOf({ utc }: MomentsFlags): Moments {
  return createMoments({ zone: utc ? 'UTC' : undefined, now: Date.now });
}

export function createMoments({ zone, now }: MomentsOptions): Moments {
  let made: Intl.DateTimeFormat | undefined;
  /** Made at the first time that is printed: it takes longer than most of a start. */
  function format(): Intl.DateTimeFormat {
    // Sweden writes times in this form.
    made ??= new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone });
    return made;
  }

  const read = (moment: Moment) => (typeof moment === 'number' ? moment : Date.parse(moment));
  const age = (moment: Moment) => formatDuration(now() - read(moment));
  // Only a year below 1000 has fewer digits.
  const full = (moment: Moment) => format().format(read(moment)).padStart('2026-11-20 10:15:02'.length, '0');
  const time = (moment: Moment) => full(moment).slice(-'10:15:02'.length);
  const date = (moment: Moment) => full(moment).slice(0, -' 10:15:02'.length);
  return {
    now,
    full,
    time,
    short: (moment) => (date(moment) === date(now()) ? time(moment) : full(moment)),
    withAge: (moment) => `${full(moment)} (${age(moment)} ago)`,
    age,
    get zone() {
      return describeZone(format().resolvedOptions().timeZone, offsetOf(zone, now()));
    },
  };
}

/** For instance `UTC+01:00`. */
function offsetOf(timeZone: string | undefined, at: number): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const offset = name.slice('GMT'.length);
  return offset === '+00:00' ? 'UTC' : `UTC${offset}`;
}

/** Node does not name a zone that TZ writes as an offset, and uses UTC for one that it does not know. */
function describeZone(name: string | undefined, offset: string): string {
  const isNamed = name?.includes('/') && name !== 'Etc/Unknown';
  return isNamed ? `${name}, now ${offset}` : offset;
}

/** An instant in ISO 8601; null if it is unknown, or did not come yet. */
export function formatKnownInstant(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
