// The settings of the comparison: behaviours that the service's document leaves open, one by one and all at once; and
// settings with bounds of their own, in which ordinary readers do not run.
import { FAULT_KINDS, type Knobs, PARTS } from '../../local/reference-service/knobs.ts';
import type { Bounds } from './judge.ts';

export interface Setting {
  readonly name: string;
  readonly changesPerSecond: number;
  /** How long the store changes. */
  readonly changesForMs: number;
  /** How long the measurement goes on after the last change. */
  readonly quietMs: number;
  readonly knobs: Partial<Knobs>;
  /** Of all readers. */
  readonly everyMs: number;
  /** The feed's options; undefined: the default. */
  readonly requestsPerMinute: number;
  readonly reconcileMs?: number | undefined;
  readonly settleMs?: number | undefined;
  readonly baseline?: 'emit' | undefined;
  /** When it is judged how many statuses are wrong, in seconds after the last change. */
  readonly wrongAfter: readonly number[];
  /** The greatest allowed figures. Undefined: those that the better of the ordinary readers gives. */
  readonly bounds?: Bounds;
}

const QUIET_MS = 180_000;

const USUAL = {
  ...{ changesForMs: 60_000, quietMs: QUIET_MS, everyMs: 5_000, requestsPerMinute: 240 },
  wrongAfter: [40, 180],
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
const DEFAULT_SETTLE = 60;
/** Seconds of a walk over all groups at a quarter of the budget, at the pace of polls: 4 requests, and about 20. */
const WALKS: Readonly<Record<string, number>> = { unmoved: 5, all: 20 };

const COMPARED: readonly Setting[] = Object.entries(SERVICES).flatMap(([service, knobs]) =>
  RATES.map((changesPerSecond) => ({
    ...{ ...USUAL, name: `${service}-${changesPerSecond}`, changesPerSecond, knobs },
    settleMs: service in WALKS ? SHORT_SETTLE_MS : undefined,
  })),
);

/** Stamps that do not move, with the default `settle`: known after it and two walks. */
const SETTLED: readonly Setting[] = COMPARED.flatMap((setting) => {
  const walk = WALKS[setting.name.replace(/-\d+$/, '')];
  if (walk === undefined) return [];
  const bounds = { wrong: [Number.POSITIVE_INFINITY, 0], p99: DEFAULT_SETTLE + 2 * walk };
  return { ...setting, name: `${setting.name}-settle`, settleMs: undefined, bounds };
});

/** Pages of 50, because larger ones show all groups in so few requests that nothing has to be left for the next round. */
const SCARCE: Setting = {
  ...{ name: 'scarce', knobs: { limitMax: 50 }, changesPerSecond: 20, changesForMs: 20_000 },
  ...{ quietMs: QUIET_MS, everyMs: 3_000, requestsPerMinute: 30, wrongAfter: [25], bounds: { wrong: [0] } },
};

/** Each is a twenty-fifth of all answers. The 429 has no Retry-After. */
const FAULTS = FAULT_KINDS.filter((kind) => /^(500|502|503)-(json|html)$|^429$/.test(kind));

/** Three minutes, because in one minute the number of 429 differs much from seed to seed. */
const FAILING: Setting = {
  ...{ name: 'failing', changesPerSecond: 3, changesForMs: 180_000 },
  knobs: { faultRate: FAULTS.length / 25, faultKinds: FAULTS },
  ...{ quietMs: QUIET_MS, everyMs: 1_000, requestsPerMinute: 240, wrongAfter: [15] },
  bounds: { wrong: [0], p50: 3 },
};

export const SETTINGS: readonly Setting[] = [...COMPARED, ...SETTLED, SCARCE, FAILING];
