// Moments of ISO 8601 for people.
import { formatDuration } from './durations.ts';

/** `2026-11-20 10:15:02Z`, and how long ago that is. */
export function moment(instant: string, now: number): string {
  return `${shortMoment(instant)} (${ago(instant, now)} ago)`;
}

/** @param now milliseconds since the epoch */
export function ago(instant: string, now: number): string {
  return formatDuration(now - Date.parse(instant));
}

/** To the second. */
export function shortMoment(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`;
}
