// The outline of a group at the opening of the store: its creation time, its progress and the number of its parts. It
// depends only on seed and row, and is much cheaper to make than the whole group. So the store makes a million outlines
// at the start, and whole groups only when they are read.

import { DAY, HOUR, type Instant } from '../../../shared/instant.ts';
import { mix, mixedFraction } from './seeded-random.ts';

/** When a group reaches each stage, as a fraction of its lifetime. */
export const STAGE = {
  reviewed: 0.08,
  labelled: 0.15,
  canceled: 0.2,
  shipped: 0.3,
  delivered: 0.7,
  refunded: 0.9,
  closed: 1,
} as const;

/** When a parcel reaches a stage; a second parcel is a little later than the first. */
export function stageOf(stage: 'shipped' | 'delivered', place: number): number {
  return STAGE[stage] + place * 0.05;
}

const STORE_AGE = 730 * DAY;
/** Above 1: the closer to the present, the more groups. */
const GROWTH = 1.6;

export interface Outline {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Elapsed fraction of its lifetime, 0 to 1. */
  readonly progress: number;
  readonly lifetime: Instant;
  readonly isClosed: boolean;
  readonly isCanceled: boolean;
  readonly wasReviewed: boolean;
  readonly lineItems: number;
  readonly parcels: number;
  readonly exchanges: number;
  readonly parcelLost: boolean;
  readonly shippedAt: readonly Instant[];
}

export interface OutlineOptions {
  readonly seed: number;
  /** The initial number of groups. */
  readonly groups: number;
  readonly openedAt: Instant;
  /** @default 1 */
  readonly lifetimeFactor?: number | undefined;
  /**
   * The number of neighbours that were created within a millisecond.
   *
   * @default 1
   */
  readonly createdTogether?: number | undefined;
}

/** The outline of an initial group. */
export function outlineOf(row: number, options: OutlineOptions): Outline {
  const { seed, groups, openedAt, lifetimeFactor = 1, createdTogether = 1 } = options;
  const first = row - (row % createdTogether);
  // Neighbours may swap places: ids and creation times agree only roughly, as in a busy database.
  const place = Math.min(groups - 0.01, Math.max(0, first + 3 * mixedFraction(seed, first, 1) - 1));
  const age = Math.floor(STORE_AGE * (1 - place / groups) ** GROWTH) + (mix(seed, row, 2) % 997);
  return outlineAt(row, seed, { createdAt: openedAt - age, now: openedAt, lifetimeFactor });
}

interface Moment {
  readonly createdAt: Instant;
  readonly now: Instant;
  readonly lifetimeFactor?: number;
}

/** The outline at `now` of a group created at `createdAt`. */
export function outlineAt(
  row: number,
  seed: number,
  { createdAt, now, lifetimeFactor = 1 }: Moment,
): Outline {
  const shape = mix(seed, row, 3);
  const lineItems = 1 + Math.floor(3.2 * mixedFraction(seed, row, 4) ** 2.2);
  const isDropOff = shape % 100 < 8;
  const parcels = isDropOff ? 0 : lineItems > 1 && (shape >>> 8) % 100 < 30 ? 2 : 1;
  const exchanges = (shape >>> 15) % 100 < 25 ? ((shape >>> 15) % 100 < 4 ? 2 : 1) : 0;
  const isToBeCanceled = (shape >>> 22) % 100 < 5;
  const wasReviewed = (shape >>> 25) % 10 < 4;

  const lifetime = lifetimeFactor * Math.floor(3 * DAY + 24 * DAY * mixedFraction(seed, row, 5) ** 2) + HOUR;
  const progress = Math.min(1, (now - createdAt) / lifetime);
  const isCanceled = isToBeCanceled && progress >= STAGE.canceled;
  const places = Array.from({ length: parcels }, (_, place) => place);
  const shippedAt = (isCanceled ? [] : places)
    .map((place) => stageOf('shipped', place))
    .filter((stage) => stage <= progress)
    .map((stage) => createdAt + Math.floor(stage * lifetime));
  const stages = [
    0,
    ...(wasReviewed ? [STAGE.reviewed] : []),
    ...(parcels > 0 ? [STAGE.labelled] : []),
    ...places.flatMap((place) => [stageOf('shipped', place), stageOf('delivered', place)]),
    STAGE.refunded,
    STAGE.closed,
  ];
  const last = isCanceled ? STAGE.canceled : Math.max(...stages.filter((stage) => stage <= progress));
  return {
    createdAt,
    updatedAt: createdAt + Math.floor(last * lifetime),
    progress,
    lifetime,
    isClosed: isCanceled || progress >= STAGE.closed,
    isCanceled,
    wasReviewed,
    lineItems,
    parcels,
    exchanges,
    parcelLost: (shape >>> 4) % 100 < 2,
    shippedAt,
  };
}
