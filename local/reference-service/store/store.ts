// The returns of an invented online store: seeded, changing at random or by hand, and queried by page. It is independent of
// HTTP and has no clock or timer of its own, so a simulation can run it at any speed. Each access first brings it up to the
// present.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { possibleSteps } from './group-steps.ts';
import { groupIdOf, rowOfGroupId } from './identities.ts';
import { createLife, type Reality } from './life.ts';
import { newGroup } from './new-group.ts';
import { openStore } from './opening.ts';
import { createRandom, mix, type Random } from './seeded-random.ts';
import { type Change, partsThatDiffer, type StoredGroup } from './stored-group.ts';
import { createView, type GroupQuery, type View } from './view.ts';

export interface StoreOptions {
  /** The store's clock; it must not go back. */
  readonly now: () => Instant;
  /** @default 1 */
  readonly seed?: number | undefined;
  /** The initial number of groups. @default 300 */
  readonly groups?: number | undefined;
  /** False, or 0 changes, makes no random changes. @default 2 changes per second */
  readonly life?: { readonly changesPerSecond: number } | false | undefined;
  /** Called at each use, because knobs may change while the store runs. */
  readonly knobs: () => Knobs;
}

/** A mutable deep copy of a group. */
type Draft<T = StoredGroup> = T extends object ? { -readonly [Field in keyof T]: Draft<T[Field]> } : T;

/**
 * Changes the draft in place. The store then sets `updated_at` according to the knobs, unless the alteration has set
 * it.
 */
export type Alteration = (draft: Draft) => void;

export interface Store {
  /** Makes all changes that are due by now. */
  catchUp(): void;
  /** One page, as the primary or the lagging replica shows it. */
  select(query: GroupQuery, from?: 'primary' | 'replica'): StoredGroup[];
  /** The true state of the group, also if it is not visible yet. */
  group(id: number): StoredGroup | undefined;
  /** The true state of all groups, by id. */
  groups(): Iterable<StoredGroup>;
  /** All changes since the store was opened, in order. */
  history(): readonly Change[];
  /** @throws RangeError if there is no such group. */
  alter(id: number, alteration: Alteration): Change;
  /** Applies a step to a group. @throws RangeError if there is no such group, or the step is not possible now */
  step(id: number, name: string): Change;
  /** Creates a group, changed by the alteration if given. */
  create(alteration?: Alteration): Change;
  /** @throws RangeError if there is no such group. */
  remove(id: number): Change;
  /** Stops the random changes. */
  pause(): void;
  resume(): void;
  /** Restarts the lagging replica from the primary's state. Call this when its knobs change. */
  resetReplica(): void;
}

/**
 * Earlier than all times of the clock: a change without a delay shows at the next access, even if its stamp is ahead.
 */
const AT_ONCE: Instant = 0;

export function createStore(options: StoreOptions): Store {
  const { now, knobs, seed = 1, groups: count = 300, life = { changesPerSecond: 2 } } = options;
  const openedAt = now();
  const { unlistedStatuses: unlisted, agingSeconds: aging } = knobs();
  const opening = { seed, groups: count, openedAt, unlisted, aging };
  const { base, openRows } = openStore(opening);
  /** The true state by row, also if it is not visible yet. */
  const groups: (StoredGroup | undefined)[] = [...base];
  const primary = createView(base, seed, createRandom(mix(seed, 43)));
  const replicaNow = () => (knobs().staleShare > 0 ? primary.copy() : undefined);
  let replica: View | undefined = replicaNow();
  const history: Change[] = [];
  const delays = createRandom(mix(seed, 41));

  const commit: Reality['commit'] = ({ row, at, step, before, after, keepsStamps = false }) => {
    const { touches, lateSeconds, stampsAheadSeconds, staleSeconds } = knobs();
    const parts = before === undefined || after === undefined ? [] : partsThatDiffer(before, after);
    const moves = before === undefined || parts.some((part) => touches.includes(part));
    const stamp = keepsStamps || !moves ? {} : { updated_at: at + stampsAheadSeconds * SECOND };
    const { least, most } = lateSeconds;
    const late = most === 0 ? 0 : Math.floor((least + (most - least) * delays.fraction()) * SECOND);
    const change: Change = {
      ...{
        sequence: history.length + 1,
        at,
        shownFrom: at + late,
        row,
        groupId: groupIdOf(row),
        step,
        parts,
      },
      before,
      after: after && { ...after, ...stamp },
    };
    groups[row] = change.after;
    history.push(change);
    primary.show(change, late === 0 ? AT_ONCE : change.shownFrom);
    replica?.show(change, Math.max(at + staleSeconds * SECOND, change.shownFrom));
    return change;
  };
  const create = (at: Instant, alteration?: Alteration) => {
    const row = groups.length;
    const fresh = newGroup(row, seed, at, at);
    const after = altered(fresh, alteration);
    const keepsStamps = after.updated_at !== at || after.created_at !== at;
    return commit({ row, at, step: 'return_group.created', before: undefined, after, keepsStamps });
  };
  const contextBy = (random: Random) => (row: number, at: Instant) => ({
    ...{ row, at, seed, random, unlisted: knobs().unlistedStatuses },
  });
  const random = createRandom(mix(seed, 42));
  const living = createLife({
    ...{ groups, commit, create, random, contextAt: contextBy(random), openRows, startAt: openedAt },
    changesPerSecond: life === false ? 0 : life.changesPerSecond,
    removals: () => knobs().removals,
  });

  const catchUp = (): void => {
    living.runUntil(now());
    primary.advance(now());
    replica?.advance(now());
  };
  /** Two changes by hand at one instant get different stamps. */
  const nextInstant = (): Instant => {
    catchUp();
    return Math.max(now(), (history.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + 1);
  };
  const present = (id: number) => {
    const at = nextInstant();
    const row = rowOfGroupId(id);
    const before = groups[row];
    if (before === undefined) throw new RangeError(`there is no return group ${id}`);
    return { row, at, before };
  };
  const contextOfHand = contextBy(createRandom(mix(seed, 44)));

  return {
    catchUp,
    select(query, from = 'primary') {
      catchUp();
      const view = from === 'replica' ? (replica ?? primary) : primary;
      return view.select(query, knobs());
    },
    group(id) {
      catchUp();
      return groups[rowOfGroupId(id)];
    },
    groups() {
      catchUp();
      return groups.filter((group) => group !== undefined);
    },
    history() {
      catchUp();
      return history;
    },
    alter(id, alteration) {
      const { row, at, before } = present(id);
      const after = sharing(before, altered(before, alteration));
      const keepsStamps = after.updated_at !== before.updated_at;
      return commit({ row, at, step: 'altered', before, after, keepsStamps });
    },
    step(id, name) {
      const { row, at, before } = present(id);
      const steps = possibleSteps(before, contextOfHand(row, at));
      const step = steps.find((possible) => possible.name === name);
      if (step !== undefined) return commit({ row, at, step: name, before, after: step.apply() });
      const names = [...new Set(steps.map((possible) => possible.name))].join(', ');
      throw new RangeError(`"${name}" is not possible for return group ${id} now; possible: ${names}`);
    },
    create: (alteration) => create(nextInstant(), alteration),
    remove: (id) => commit({ ...present(id), step: 'return_group.removed', after: undefined }),
    pause: () => living.pause(now()),
    resume: () => living.resume(now()),
    resetReplica() {
      catchUp();
      replica = replicaNow();
    },
  };
}

function altered(group: StoredGroup, alteration: Alteration = () => {}): StoredGroup {
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
