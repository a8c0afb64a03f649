import type { Behaviour } from '../acceptance/outside-service.ts';
import type { Random } from '../acceptance/random.ts';

/** A behaviour of the service; its document allows all of it. */
export interface Setting {
  readonly name: string;
  readonly about: string;
  readonly behaviour: Behaviour;
  /** The delay from a change's stamp to its visibility, in ms. */
  readonly late: { readonly least: number; readonly most: number };
  /** The feed's options, without `--`. */
  readonly feed: Readonly<Record<string, string>>;
}

/** Those that differ most: `bench:freshness` has each behaviour by itself. */
export const SETTINGS: readonly Setting[] = [
  {
    ...{ name: 'plain', about: 'plain', late: { least: 0, most: 0 }, feed: {} },
    behaviour: { changesPerSecond: 3, mostRows: 100, order: 'created' },
  },
  {
    ...{ name: 'clamped', about: 'pages of 20', late: { least: 0, most: 0 }, feed: {} },
    behaviour: { changesPerSecond: 20, mostRows: 20, order: 'created' },
  },
  {
    name: 'all',
    about: 'pages of 20, no order, late by 5 to 8 s, shipments do not move `updated_at`',
    behaviour: { changesPerSecond: 20, mostRows: 20, order: 'random', shipmentsMoveStamp: false },
    late: { least: 5_000, most: 8_000 },
    feed: { settle: '3s' },
  },
];

export function behaviourOf({ behaviour, late }: Setting, random: Random): Behaviour {
  return { ...behaviour, drawDelayMs: () => random.between(late.least, late.most) };
}
