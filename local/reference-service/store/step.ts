import type { Instant } from '../../../shared/instant.ts';
import type { Random } from './seeded-random.ts';
import type { StoredGroup } from './stored-group.ts';

/** Something that can happen to a group next. */
export interface Step {
  /** For instance `shipment.delivered`. */
  readonly name: string;
  /** How likely it is beside the others; from 1 on the group counts as not yet at its end. */
  readonly weight: number;
  apply(): StoredGroup;
}

export interface StepContext {
  readonly row: number;
  readonly at: Instant;
  readonly seed: number;
  readonly random: Random;
  /** Share of status changes that end in a status no document lists. */
  readonly unlisted: number;
}

/** The list with one element replaced, the others shared. */
export function withReplaced<T>(list: readonly T[], old: T, fresh: T): T[] {
  return list.map((element) => (element === old ? fresh : element));
}
