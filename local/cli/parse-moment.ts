import { InvalidArgumentError } from 'commander';
import { type Instant, MILLISECOND, parseStamp } from '../../shared/instant.ts';
import { parseDuration } from './durations.ts';

/** Reads a time with its zone, or a time before now such as `2h`. */
export function parseMoment(text: string): Instant {
  const stamp = parseStamp(text);
  if (stamp?.zoned === true) return stamp.instant;
  try {
    return (Date.now() - parseDuration(text)) * MILLISECOND;
  } catch {
    throw new InvalidArgumentError(
      'Give a time with its zone, such as 2026-11-20T10:15:00Z, or a time before now, such as 2h.',
    );
  }
}
