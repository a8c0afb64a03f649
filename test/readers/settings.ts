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

/**
 * The requests that a reader needs to see each possible change once between two polls, divided by its allowance: above
 * 1 no reader can. If stamps move with each change, they show the changed rows; otherwise any row may have changed.
 */
export function leastShareOfRequests(
  { changesPerSecond, pageRows, shipmentsMoveStamp, late }: Setting,
  { groups, everyMs, perMinute }: { groups: number; everyMs: number; perMinute: number },
): number {
  const changed = (changesPerSecond * (everyMs + late.most - late.least)) / 1_000;
  const rows = shipmentsMoveStamp ? Math.min(groups, changed) : groups;
  return (Math.ceil(rows / pageRows) * 60_000) / everyMs / perMinute;
}
