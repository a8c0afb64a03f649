// The settings of the comparison: behaviours that the service's document leaves open, one by one and all at once.
import { type Knobs, PARTS } from '../../local/reference-service/knobs.ts';
import type { Bounds } from '../readers/judge.ts';

export interface Setting {
  readonly name: string;
  readonly changesPerSecond: number;
  /** How long the store changes. */
  readonly changesForMs: number;
  readonly knobs: Partial<Knobs>;
  /** Of all readers. */
  readonly everyMs: number;
  /** Our feed's options; undefined: the default. */
  readonly requestsPerMinute: number;
  readonly reconcileMs?: number | undefined;
  readonly settleMs?: number | undefined;
  /** When it is judged how many statuses are wrong, in seconds after the last change. */
  readonly wrongAfter: readonly number[];
  /** The greatest allowed figures. Undefined: those that the better of the ordinary readers gives. */
  readonly bounds?: Bounds;
}

const USUAL = {
  ...{ changesForMs: 60_000, everyMs: 5_000, requestsPerMinute: 240, wrongAfter: [40, 180] },
} satisfies Partial<Setting>;

const CLAMPED = { limitMax: 20 } as const;
const UNMOVED: Partial<Knobs> = { touches: PARTS.filter((part) => part !== 'shipment') };
const UNORDERED = { order: 'random' } as const;
const LATE = { lateSeconds: { least: 5, most: 8 } } as const;

const SERVICES: Readonly<Record<string, Partial<Knobs>>> = {
  plain: {},
  clamped: CLAMPED,
  unmoved: UNMOVED,
  unordered: UNORDERED,
  late: LATE,
  'unordered-clamped': { ...UNORDERED, ...CLAMPED },
  'unordered-late': { ...UNORDERED, ...LATE },
  all: { ...CLAMPED, ...UNMOVED, ...UNORDERED, ...LATE },
};

const RATES = [3, 20];
/** A second differing read within `settle` waits, so that the default would hide how soon walks come. */
const SHORT_SETTLE_MS = 3_000;
const UNMOVED_SERVICES = ['unmoved', 'all'];

export const SETTINGS: readonly Setting[] = Object.entries(SERVICES).flatMap(([service, knobs]) =>
  RATES.map((changesPerSecond) => ({
    ...{ ...USUAL, name: `${service}-${changesPerSecond}`, changesPerSecond, knobs },
    settleMs: UNMOVED_SERVICES.includes(service) ? SHORT_SETTLE_MS : undefined,
  })),
);
