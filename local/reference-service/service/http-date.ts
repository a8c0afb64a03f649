import { type Instant, MILLISECOND } from '../../../shared/instant.ts';

/** The instant as HTTP writes dates (RFC 9110, "Date/Time Formats"); to the second. */
export function httpDate(instant: Instant): string {
  return new Date(Math.floor(instant / MILLISECOND)).toUTCString();
}
