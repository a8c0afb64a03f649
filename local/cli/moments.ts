// ISO 8601 times as readable text.
import { formatDuration } from './durations.ts';

/** For instance `2026-11-20 10:15:02Z (5 min ago)`. @param now milliseconds since the epoch */
export function moment(instant: string, now: number): string {
  return `${shortMoment(instant)} (${ago(instant, now)} ago)`;
}

/** @param now milliseconds since the epoch */
export function ago(instant: string, now: number): string {
  return formatDuration(now - Date.parse(instant));
}

/** For instance `2026-11-20 10:15:02Z`. */
export function shortMoment(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)}Z`;
}
