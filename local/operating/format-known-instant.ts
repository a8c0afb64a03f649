import { formatInstant, type Instant } from '../../shared/instant.ts';

/** An instant in ISO 8601; null if it is unknown, or did not come yet. */
export function formatKnownInstant(instant: Instant | undefined): string | null {
  return instant === undefined ? null : formatInstant(instant);
}
