// The store's random changes: at a steady rate, mostly to open groups, with new groups as old ones close. There is no
// timer: each access to the store first makes the changes that are due, stamped with the instants at which they were
// due. So the store behaves alike in real and in virtual time, and a seed always makes the same changes.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { withoutOneEntity } from './group-steps.ts';
import { isAtItsEnd, pickStep, possibleSteps } from './possible-steps.ts';
import { createRowSet } from './row-set.ts';
import type { Random } from './seeded-random.ts';
import type { StepContext } from './step.ts';
import type { Truth } from './truth.ts';

const NEW_GROUPS = 0.11;
const OLD_GROUPS = 0.03;
const BULKS = 0.02;

export interface LifeOptions {
  readonly changesPerSecond: number;
  readonly startAt: Instant;
  readonly seed: number;
  readonly random: Random;
  readonly knobs: () => Knobs;
  readonly openRows: readonly number[];
}

export interface Life {
  /** Makes every change that is due by now. */
  runUntil(now: Instant): void;
  pause(now: Instant): void;
  resume(now: Instant): void;
}

export function createLife(truth: Truth, options: LifeOptions): Life {
  const { random, seed, changesPerSecond } = options;
  const open = createRowSet(options.openRows);
  const removed = createRowSet([]);
  const fewestOpen = Math.max(5, Math.min(open.size, 1_000));
  const interval = () => Math.ceil((SECOND / changesPerSecond) * (0.5 + random.fraction()));
  let nextAt = changesPerSecond > 0 ? options.startAt + interval() : Number.POSITIVE_INFINITY;

  const contextAt = (row: number, at: Instant): StepContext => ({
    row,
    at,
    seed,
    random,
    unlisted: options.knobs().unlistedStatuses,
  });

  /** Makes one step of a group. @returns false if the group does not exist, or only unlikely steps remain */
  const stepGroup = (row: number, at: Instant, isOld: boolean): boolean => {
    const group = truth.group(row);
    const steps = group === undefined ? [] : possibleSteps(group, contextAt(row, at));
    const isOver = group === undefined || (isAtItsEnd(steps) && !isOld);
    if (isOver) {
      open.delete(row);
      return false;
    }
    const step = pickStep(steps, random);
    truth.commit({ row, at, step: step.name, before: group, after: step.apply() });
    open.add(row);
    return true;
  };

  const create = (at: Instant): void => open.add(truth.create(at).row);

  const stepSome = (at: Instant): void => {
    for (let tried = 0; tried < 50 && open.size > 0; tried += 1) {
      if (stepGroup(open.pick(random), at, false)) return;
    }
    create(at);
  };

  /** Draws one of the changes that knobs enable, and makes it. @returns false if none was drawn */
  const makeRareChange = (at: Instant): boolean => {
    const { removals, groupRemovals, reappearances, bulkSize } = options.knobs();
    if (random.chance(reappearances) && removed.size > 0) {
      const row = removed.pick(random);
      removed.delete(row);
      truth.restore(row, at);
      open.add(row);
      return true;
    }
    if (random.chance(groupRemovals) && open.size > 1) {
      const row = open.pick(random);
      open.delete(row);
      removed.add(row);
      truth.commit({ row, at, step: 'return_group.removed', before: truth.group(row), after: undefined });
      return true;
    }
    if (random.chance(removals) && open.size > 0) {
      const row = open.pick(random);
      const group = truth.group(row);
      const after = group && withoutOneEntity(group, contextAt(row, at));
      if (after !== undefined) truth.commit({ row, at, step: 'entity.removed', before: group, after });
      return after !== undefined;
    }
    if (bulkSize > 0 && random.chance(BULKS)) {
      for (let changed = 0; changed < bulkSize && open.size > 0; changed += 1)
        stepGroup(open.pick(random), at, false);
      return true;
    }
    return false;
  };

  const change = (at: Instant): void => {
    if (makeRareChange(at)) return;
    const kind = random.fraction();
    if (kind < NEW_GROUPS || open.size < fewestOpen / 2) create(at);
    else if (kind < NEW_GROUPS + OLD_GROUPS) stepGroup(random.below(truth.rows), at, true) || stepSome(at);
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
