// Statuses that no document lists, for the knob unlistedStatuses.

import { UNLISTED_STATUSES } from './catalogue.ts';
import { createRandom, mix, type Random } from './seeded-random.ts';
import type { StoredGroup } from './stored-group.ts';

type Kind = keyof typeof UNLISTED_STATUSES;

/** Replaces a share of a base group's statuses, the same ones for the same seed. */
export function unlistBaseStatuses(group: StoredGroup, seed: number, share: number): StoredGroup {
  if (share === 0) return group;
  const random = createRandom(mix(seed, group.id, 31));
  const unlist = <T extends { status: string }>(kind: Kind, entities: readonly T[]): T[] =>
    entities.map((entity) => ({ ...entity, status: listedOrNot(kind, entity.status, random, share) }));
  return {
    ...group,
    shipments: unlist('shipment', group.shipments),
    returns: unlist('return_line_item', group.returns),
    exchange_line_items: unlist('exchange_line_item', group.exchange_line_items),
  };
}

/** The status, or with the given probability a status that no document lists. */
export function listedOrNot(kind: Kind, status: string, random: Random, share: number): string {
  return random.chance(share) ? random.pick(UNLISTED_STATUSES[kind]) : status;
}
