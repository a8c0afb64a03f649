// Writes the service's stamps, and parses the bounds of requests.

import { type Instant, MILLISECOND, parseStamp } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';

export interface StampForm {
  write(instant: Instant): string;
  /** The instant of a request's bound, or undefined if the text is no date-time. */
  read(text: string): Instant | undefined;
}

const DIGITS = { us: 6, ms: 3, s: 0 } as const;

export function stampFormOf({
  stampForm,
  stampPrecision,
}: Pick<Knobs, 'stampForm' | 'stampPrecision'>): StampForm {
  const isSilent = stampForm.startsWith('none');
  const zone = isSilent ? stampForm.slice('none:'.length) : stampForm;
  const offset = -Date.parse(`1970-01-01T00:00:00${zone || 'Z'}`) * MILLISECOND;
  const digits = DIGITS[stampPrecision];
  return {
    write(instant) {
      const local = instant + offset;
      const milliseconds = Math.floor(local / MILLISECOND);
      const text = new Date(milliseconds).toISOString();
      const fraction = text.slice(20, 23) + String(local - milliseconds * MILLISECOND).padStart(3, '0');
      const end = digits === 0 ? '' : `.${fraction.slice(0, digits)}`;
      return `${text.slice(0, 19)}${end}${isSilent ? '' : zone}`;
    },
    read(text) {
      const stamp = parseStamp(text);
      return stamp && (stamp.zoned || !isSilent ? stamp.instant : stamp.instant - offset);
    },
  };
}
