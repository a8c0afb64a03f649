// A change of the service's behaviour in the middle of a run: knobs get other values, and possibly their former values again.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { ORDERS } from '../../local/reference-service/store/orders.ts';
import type { Random } from '../../local/reference-service/store/seeded-random.ts';
import { PARTS } from '../../local/reference-service/store/stored-group.ts';

export interface Turn {
  readonly atMs: number;
  readonly knobs: Partial<Knobs>;
  /** Time until they get the plan's values again; undefined for never. */
  readonly forMs?: number | undefined;
}

/** The changed knobs, each with another value than the plan's. */
export const TURNS = [
  'nulls',
  'arrays',
  'order',
  'limitMax',
  'offsetMax',
  'stampPrecision',
  'stampForm',
  'omissions',
  'newFields',
  'touches',
  'unreadableEvery',
] as const satisfies readonly (keyof Knobs)[];

/** Knobs that change how every group is shown, although the groups do not change. */
const LOOKS: readonly (keyof Knobs)[] = ['stampPrecision', 'stampForm', 'omissions'];

/** Returns whether the stamps of later changes may be earlier than those of earlier changes. */
export function letsStampsFall({ knobs }: Turn): boolean {
  return 'stampForm' in knobs || 'stampsAheadSeconds' in knobs;
}

/** Returns whether polls find nothing meanwhile. */
export function blindsPolls({ knobs }: Turn): boolean {
  return 'filterSkewSeconds' in knobs;
}

export function changesLooks({ knobs }: Turn): boolean {
  return LOOKS.some((name) => name in knobs);
}

export function drawTurn(random: Random, activeMs: number, planned: Partial<Knobs>): Turn {
  const name = random.pick(TURNS);
  const knobs = another(name, random, planned);
  const atMs = Math.floor(activeMs * (0.2 + 0.6 * random.fraction()));
  const isBack = random.chance(0.6);
  const share = 0.2 + 0.6 * random.fraction();
  return { atMs, knobs, ...(isBack ? { forMs: Math.floor((activeMs - atMs) * share) } : {}) };
}

function another(name: (typeof TURNS)[number], random: Random, planned: Partial<Knobs>): Partial<Knobs> {
  switch (name) {
    case 'nulls':
      return { nulls: random.pick(without(['present', 'absent', 'flicker'], planned.nulls ?? 'present')) };
    case 'arrays':
      return {
        arrays: random.pick(
          without(['full', 'null-if-empty', 'absent-if-empty', 'flicker'], planned.arrays ?? 'full'),
        ),
      };
    case 'order':
      return {
        order: random.pick(without(ORDERS, planned.order ?? 'created_at:desc')),
      };
    case 'limitMax':
      return { limitMax: random.pick(without([10, 13, 50, 250], planned.limitMax ?? 250)) };
    case 'offsetMax':
      return { offsetMax: Math.max(10, 2 * (planned.limitMax ?? 10)), offsetOver: random.pick(OVER) };
    case 'stampPrecision':
      return { stampPrecision: random.pick(without(['us', 'ms', 's'], planned.stampPrecision ?? 'us')) };
    case 'stampForm':
      return { stampForm: random.pick(without(['Z', '+00:00', '+05:30'], planned.stampForm ?? '+00:00')) };
    case 'omissions':
      return { omissions: random.pick(without(['none', 'samples', 'all'], planned.omissions ?? 'none')) };
    case 'newFields':
      return { newFields: planned.newFields !== true };
    case 'touches':
      return { touches: planned.touches === undefined ? ['return_group'] : PARTS };
    case 'unreadableEvery':
      return { unreadableEvery: 1 + random.below(5) };
  }
}

const OVER = ['empty', 'refuse', 'bad-request', 'timeout'] as const;

function without<Value>(values: readonly Value[], value: NoInfer<Value>): Value[] {
  return values.filter((other) => other !== value);
}
