// The settings of the comparison: behaviours that the service's document leaves open, one by one and all at once.
import { type Knobs, PARTS } from '../../local/reference-service/knobs.ts';

export interface Setting {
  readonly name: string;
  readonly changesPerSecond: number;
  readonly knobs: Partial<Knobs>;
}

/** Which groups change. `spread`: random groups. `life`: those of the store's own random changes. */
export type Changing = 'spread' | 'life';

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

export const SETTINGS: readonly Setting[] = Object.entries(SERVICES).flatMap(([name, knobs]) =>
  RATES.map((changesPerSecond) => ({ name: `${name}-${changesPerSecond}`, changesPerSecond, knobs })),
);
