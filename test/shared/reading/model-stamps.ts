// The model's form of stamps and bounds: with fewer digits than it keeps, with or without a zone, with inclusive or
// exclusive bounds.
import { HOUR, type Instant, parseStamp } from '../../../shared/instant.ts';
import type { RowReading } from '../../../shared/returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../../../shared/returns-service/read-row.ts';
import type { SeededRandom } from '../../fakes/seeded-random.ts';

export interface StampStyle {
  /** Digits after the second; further digits are cut off, not rounded. */
  readonly digits: 0 | 3 | 6;
  /** `Z`, or the hours ahead of UTC of stamps that name no zone. */
  readonly zone: 'Z' | number;
  readonly includesLower: boolean;
  readonly includesUpper: boolean;
  /** Whether bounds apply to the stamps as kept or as shown. */
  readonly compares: 'kept' | 'shown';
}

export const EXACT_STAMPS: StampStyle = {
  digits: 6,
  zone: 'Z',
  includesLower: true,
  includesUpper: true,
  compares: 'kept',
};

/** `flickering`: its content changes with each read; `alike`: identical to all others of its kind. */
export type Looks = 'readable' | 'unreadable' | 'without id' | 'flickering' | 'alike';

/** Whether a stamp lies within two bounds, as the service reads them; undefined without bounds. */
export function createFilter(
  min: string | undefined,
  max: string | undefined,
  style: StampStyle,
): ((stamp: Instant) => boolean) | undefined {
  if (min === undefined && max === undefined) return undefined;
  const lower = min === undefined ? Number.NEGATIVE_INFINITY : instantOf(min, style);
  const upper = max === undefined ? Number.POSITIVE_INFINITY : instantOf(max, style);
  return (stamp) => {
    const compared = style.compares === 'kept' ? stamp : cutOff(stamp, style);
    if (compared < lower || (compared === lower && !style.includesLower)) return false;
    return compared < upper || (compared === upper && style.includesUpper);
  };
}

export function showRow(
  id: number,
  { createdAt, updatedAt }: { readonly createdAt: Instant; readonly updatedAt: Instant },
  looks: Looks,
  style: StampStyle,
  random: SeededRandom,
): RowReading {
  const reason = 'the model says so';
  switch (looks) {
    case 'readable':
      return {
        kind: 'readable',
        group: { id } as ReturnGroup,
        createdAt: shown(createdAt, style),
        updatedAt: shown(updatedAt, style),
        zoned: style.zone === 'Z',
        precision: style.digits,
      };
    case 'unreadable':
      return { kind: 'unreadable', reason, digest: `${id}/${updatedAt}`, id };
    case 'without id':
      return { kind: 'unreadable', reason, digest: `${id}/${updatedAt}` };
    case 'flickering':
      return { kind: 'unreadable', reason, digest: String(random.next()) };
    default:
      return { kind: 'unreadable', reason, digest: 'alike' };
  }
}

/** The stamp as parsed by a reader that treats stamps without a zone as UTC. */
export function shown(stamp: Instant, style: StampStyle): Instant {
  return cutOff(stamp, style) + (style.zone === 'Z' ? 0 : style.zone * HOUR);
}

function cutOff(stamp: Instant, { digits }: StampStyle): Instant {
  const step = 10 ** (6 - digits);
  return Math.floor(stamp / step) * step;
}

function instantOf(text: string, { zone }: StampStyle): Instant {
  const stamp = parseStamp(text);
  if (stamp === undefined) throw new Error(`Not a bound: ${text}`);
  if (stamp.zoned !== (zone === 'Z')) throw new Error(`A bound in another form than stamps: ${text}`);
  return stamp.zoned ? stamp.instant : stamp.instant - (zone === 'Z' ? 0 : zone * HOUR);
}
