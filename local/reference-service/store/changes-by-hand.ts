// Changes by tests and users, in addition to the random changes.

import type { Instant } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import type { Change } from './change.ts';
import { rowOfGroupId } from './identities.ts';
import { possibleSteps } from './possible-steps.ts';
import type { Random } from './seeded-random.ts';
import type { StoredGroup } from './stored-group.ts';
import type { Truth } from './truth.ts';

/** A mutable deep copy of a group. */
type Draft<T = StoredGroup> = T extends object ? { -readonly [Field in keyof T]: Draft<T[Field]> } : T;

/**
 * Changes the draft in place. The store then sets `updated_at` according to the knobs, unless the alteration has set
 * it.
 */
export type Alteration = (draft: Draft) => void;

export interface ChangesByHand {
  /** @throws RangeError if there is no such group. */
  alter(id: number, alteration: Alteration, step?: string): Change;
  /** Applies a step to a group. @throws RangeError if there is no such group, or the step is not possible now */
  step(id: number, name: string): Change;
  create(alteration?: Alteration): Change;
  /** @throws RangeError if there is no such group. */
  remove(id: number): Change;
}

interface Surroundings {
  readonly seed: number;
  readonly random: Random;
  readonly knobs: () => Knobs;
  /** Brings the store up to the present. @returns the instant of the next change */
  readonly nextInstant: () => Instant;
}

export function createChangesByHand(truth: Truth, surroundings: Surroundings): ChangesByHand {
  const { seed, random, knobs, nextInstant } = surroundings;

  const present = (id: number): { row: number; at: Instant; group: StoredGroup } => {
    const at = nextInstant();
    const row = rowOfGroupId(id);
    const group = truth.group(row);
    if (group === undefined) throw new RangeError(`there is no return group ${id}`);
    return { row, at, group };
  };

  return {
    alter(id, alteration, step = 'altered') {
      const { row, at, group } = present(id);
      const after = sharing(group, altered(group, alteration));
      return truth.commit({
        row,
        at,
        step,
        before: group,
        after,
        keepsStamps: after.updated_at !== group.updated_at,
      });
    },
    step(id, name) {
      const { row, at, group } = present(id);
      const steps = possibleSteps(group, { row, at, seed, random, unlisted: knobs().unlistedStatuses });
      const step = steps.find((possible) => possible.name === name);
      if (step === undefined) {
        const names = [...new Set(steps.map((possible) => possible.name))].join(', ');
        throw new RangeError(`"${name}" is not possible for return group ${id} now; possible: ${names}`);
      }
      return truth.commit({ row, at, step: name, before: group, after: step.apply() });
    },
    create: (alteration) =>
      truth.create(nextInstant(), alteration && ((group) => altered(group, alteration))),
    remove(id) {
      const { row, at, group } = present(id);
      return truth.commit({ row, at, step: 'return_group.removed', before: group, after: undefined });
    },
  };
}

function altered(group: StoredGroup, alteration: Alteration): StoredGroup {
  const draft = structuredClone(group) as Draft;
  alteration(draft);
  return draft as StoredGroup;
}

/** The new group, sharing each unchanged field with the old one. */
function sharing(before: StoredGroup, after: StoredGroup): StoredGroup {
  const fields = Object.entries(after).map(([field, value]) => {
    const old: unknown = before[field as keyof StoredGroup];
    return [field, JSON.stringify(old) === JSON.stringify(value) ? old : value];
  });
  return Object.fromEntries(fields) as unknown as StoredGroup;
}
