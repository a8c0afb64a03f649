import type { Instant } from '../../../shared/instant.ts';
import type { Random } from './seeded-random.ts';
import type { StoredGroup } from './stored-group.ts';

/** A possible next change of a group. */
export interface Step {
  /** For instance `shipment.delivered`. */
  readonly name: string;
  /** Likelihood relative to the other steps. A group with a step of 1 or more is not at its end. */
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

/** The list with one element replaced, the others shared. */
export function withReplaced<T>(list: readonly T[], old: T, fresh: T): T[] {
  return list.map((element) => (element === old ? fresh : element));
}
