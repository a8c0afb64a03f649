// A possible next change of a group, with its likelihood.

import type { Instant } from '../../../shared/instant.ts';
import { UNLISTED_STATUSES } from './catalogue.ts';
import type { Random } from './seeded-random.ts';
import type { StoredGroup } from './stored-group.ts';

export interface Step {
  /** For instance `shipment.delivered`. */
  readonly name: string;
  /** Likelihood relative to the other steps; below 1 the step is unlikely, for instance a correction. */
  readonly weight: number;
  apply(): StoredGroup;
}

export interface StepContext {
  readonly row: number;
  readonly at: Instant;
  readonly seed: number;
  readonly random: Random;
  /** Share of status changes to a status that no document lists. */
  readonly unlisted: number;
}

const LISTS = {
  shipment: 'shipments',
  return_line_item: 'returns',
  exchange_line_item: 'exchange_line_items',
} as const;

/** Returns a function that makes steps of one entity; each sets some of its fields. */
export function stepMaker<K extends keyof typeof LISTS>(
  kind: K,
  entity: StoredGroup[(typeof LISTS)[K]][number],
  group: StoredGroup,
  { random, unlisted }: StepContext,
): (name: string, weight: number, change: Partial<typeof entity>) => Step {
  return (name, weight, change) => ({
    name: `${kind}.${name}`,
    weight,
    apply: () => {
      const isListed = change.status === undefined || !random.chance(unlisted);
      const unlistedStatus = isListed ? {} : { status: random.pick(UNLISTED_STATUSES[kind]) };
      const changed = { ...entity, ...change, ...unlistedStatus };
      return { ...group, [LISTS[kind]]: withReplaced<unknown>(group[LISTS[kind]], entity, changed) };
    },
  });
}

/** A copy of the list with one element replaced. */
export function withReplaced<T>(list: readonly T[], old: T, fresh: T): T[] {
  return list.map((element) => (element === old ? fresh : element));
}
