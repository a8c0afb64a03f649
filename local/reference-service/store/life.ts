// The store's random changes: at a steady rate, mostly to open groups, with new groups as old ones close. There is no
// timer: each access to the store first makes the changes that are due, stamped with the instants at which they were
// due. So the store behaves alike in real and in virtual time, and a seed always makes the same changes.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import { isAtItsEnd, pickStep, possibleSteps, withoutOneEntity } from './group-steps.ts';
import type { Random } from './seeded-random.ts';
import type { StepContext } from './step.ts';
import type { Change, StoredGroup } from './stored-group.ts';

const NEW_GROUPS = 0.11;
const OLD_GROUPS = 0.03;

/** `after` shares the unchanged parts of `before`. */
interface Commit extends Pick<Change, 'row' | 'at' | 'step' | 'before' | 'after'> {
  /** Whether to keep the stamps of `after` regardless of the knobs. */
  readonly keepsStamps?: boolean;
}

export interface Reality {
  /** The true states by row. */
  readonly groups: readonly (StoredGroup | undefined)[];
  commit(commit: Commit): Change;
  /** Creates a group on a new row. */
  create(at: Instant): Change;
}

interface LifeOptions extends Reality {
  readonly changesPerSecond: number;
  readonly startAt: Instant;
  readonly random: Random;
  /** Share of changes that remove an entity or a group, or bring a removed group back. */
  readonly removals: () => number;
  readonly contextAt: (row: number, at: Instant) => StepContext;
  readonly openRows: readonly number[];
}

export interface Life {
  /** Makes every change that is due by now. */
  runUntil(now: Instant): void;
  pause(now: Instant): void;
  resume(now: Instant): void;
}

export function createLife(options: LifeOptions): Life {
  const { groups, commit, create, random, contextAt, changesPerSecond } = options;
  const open = new Set(options.openRows);
  const removed = new Map<number, StoredGroup>();
  const fewestOpen = Math.max(5, Math.min(open.size, 1_000));
  const interval = () => Math.ceil((SECOND / changesPerSecond) * (0.5 + random.fraction()));
  let nextAt = changesPerSecond > 0 ? options.startAt + interval() : Number.POSITIVE_INFINITY;

  /** Makes one step of a group. @returns false if the group does not exist, or only unlikely steps remain */
  const stepGroup = (row: number, at: Instant, isOld: boolean): boolean => {
    const before = groups[row];
    const steps = before === undefined ? [] : possibleSteps(before, contextAt(row, at));
    if (isAtItsEnd(steps) && !(isOld && before)) {
      open.delete(row);
      return false;
    }
    const step = pickStep(steps, random);
    commit({ row, at, step: step.name, before, after: step.apply() });
    open.add(row);
    return true;
  };

  const add = (at: Instant): void => void open.add(create(at).row);

  const stepSome = (at: Instant): void => {
    for (let tried = 0; tried < 50 && open.size > 0; tried += 1) {
      if (stepGroup(random.pick([...open]), at, false)) return;
    }
    add(at);
  };

  /** Brings a group back, or removes a group or an entity. @returns false if none can be */
  const remove = (at: Instant): boolean => {
    const kind = random.pick(['back', 'group', 'entity']);
    if (kind === 'back') {
      const [row, after] = removed.size > 0 ? random.pick([...removed]) : [-1];
      if (after === undefined) return false;
      removed.delete(row);
      open.add(row);
      commit({ row, at, step: 'return_group.restored', before: undefined, after });
      return true;
    }
    const row = open.size > 1 ? random.pick([...open]) : -1;
    const before = groups[row];
    const after = kind === 'entity' ? before && withoutOneEntity(before, random) : undefined;
    if (before === undefined || (kind === 'entity' && after === undefined)) return false;
    if (kind === 'group') {
      open.delete(row);
      removed.set(row, before);
    }
    commit({ row, at, step: after ? 'entity.removed' : 'return_group.removed', before, after });
    return true;
  };

  const change = (at: Instant): void => {
    if (random.chance(options.removals()) && remove(at)) return;
    const kind = random.fraction();
    if (kind < NEW_GROUPS || open.size < fewestOpen / 2) add(at);
    else if (kind < NEW_GROUPS + OLD_GROUPS) stepGroup(random.below(groups.length), at, true) || stepSome(at);
    else stepSome(at);
  };

  return {
    runUntil(now) {
      while (nextAt <= now) {
        change(nextAt);
        nextAt += interval();
      }
    },
    pause(now) {
      this.runUntil(now);
      nextAt = Number.POSITIVE_INFINITY;
    },
    resume(now) {
      if (changesPerSecond > 0) nextAt = Math.min(nextAt, now + interval());
    },
  };
}
