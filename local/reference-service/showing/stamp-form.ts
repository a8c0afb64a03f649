// Writes the service's stamps, and parses the bounds of requests.

import { type Instant, MILLISECOND, MINUTE, parseStamp, SECOND } from '../../../shared/instant.ts';

export interface StampForm {
  write(instant: Instant): string;
  /** The instant of a request's bound, or undefined if the text is no date-time. */
  read(text: string): Instant | undefined;
}

/** The forms of a group's creation and of all other stamps. */
export interface StampForms {
  readonly created: StampForm;
  readonly other: StampForm;
}

/** The knobs that decide how stamps are written; knobs.ts. */
interface StampKnobs {
  readonly stampForm: string;
  readonly createdForm: string;
  readonly stampPrecision: Precision;
}

export function stampFormsOf({ stampForm, createdForm, stampPrecision }: StampKnobs): StampForms {
  const other = createStampForm(stampForm, stampPrecision);
  return { created: createdForm === 'same' ? other : createStampForm(createdForm, stampPrecision), other };
}

const UNITS = { us: 1, ms: MILLISECOND, s: SECOND } as const;
type Precision = keyof typeof UNITS;
const DIGITS = { us: 6, ms: 3, s: 0 } as const;

/**
 * @param form `Z`, an offset like `+05:30`, `none` (UTC, zone not written) or `none:-05:00` (time of that zone, zone
 *   not written)
 */
export function createStampForm(form: string, precision: Precision): StampForm {
  const isSilent = form.startsWith('none');
  const zone = isSilent ? form.slice('none:'.length) : form;
  const offset = offsetOf(zone);
  const suffix = isSilent ? '' : zone;
  return {
    write(instant) {
      const local = instant + offset;
      const milliseconds = Math.floor(local / MILLISECOND);
      const text = new Date(milliseconds).toISOString();
      const fraction = text.slice(20, 23) + String(local - milliseconds * MILLISECOND).padStart(3, '0');
      const digits = DIGITS[precision];
      return `${text.slice(0, 19)}${digits === 0 ? '' : `.${fraction.slice(0, digits)}`}${suffix}`;
    },
    read(text) {
      const stamp = parseStamp(text);
      if (stamp === undefined) return undefined;
      return stamp.zoned || !isSilent ? stamp.instant : stamp.instant - offset;
    },
  };
}

/** The unit that stamps of this precision are cut to, in microseconds. */
export function unitOf(precision: Precision): number {
  return UNITS[precision];
}

function offsetOf(zone: string): Instant {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours === undefined || minutes === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE;
}
