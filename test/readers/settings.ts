import type { Behaviour } from '../acceptance/outside-service.ts';
import type { Random } from '../acceptance/random.ts';

/** A behaviour of the service; its document allows all of it. */
export interface Setting {
  readonly name: string;
  readonly about: string;
  readonly changesPerSecond: number;
  /** Rows of a page at most. */
  readonly pageRows: number;
  readonly hasOrder: boolean;
  readonly shipmentsMoveStamp: boolean;
  /** The delay from a change's stamp to its visibility, in ms. */
  readonly late: { readonly least: number; readonly most: number };
}

const PLAIN = {
  about: 'plain',
  changesPerSecond: 20,
  pageRows: 100,
  hasOrder: true,
  shipmentsMoveStamp: true,
  late: { least: 0, most: 0 },
};
const LATE = { least: 5_000, most: 8_000 };
const ALL = {
  about: 'all of these',
  pageRows: 20,
  hasOrder: false,
  shipmentsMoveStamp: false,
  late: LATE,
};

export const SETTINGS: readonly Setting[] = [
  { ...PLAIN, name: 'plain', changesPerSecond: 3 },
  { ...PLAIN, name: 'clamped', about: 'limit clamped to 20', pageRows: 20 },
  { ...PLAIN, name: 'unmarked', about: 'shipments do not move `updated_at`', shipmentsMoveStamp: false },
  { ...PLAIN, name: 'unordered', about: 'another order at every request', hasOrder: false },
  { ...PLAIN, name: 'late', about: 'changes show late by 5 to 8 s', late: LATE },
  { ...ALL, name: 'all-3', changesPerSecond: 3 },
  { ...ALL, name: 'all-20', changesPerSecond: 20 },
];

export function behaviourOf(setting: Setting, random: Random): Behaviour {
  const { changesPerSecond, pageRows, hasOrder, shipmentsMoveStamp, late } = setting;
  return {
    changesPerSecond,
    mostRows: pageRows,
    order: hasOrder ? 'created' : 'random',
    shipmentsMoveStamp,
    drawDelayMs: () => random.between(late.least, late.most),
  };
}
