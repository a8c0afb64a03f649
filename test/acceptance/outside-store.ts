import { type ChangeKind, EDITS } from './change-kinds.ts';
import { type Entities, entitiesOf } from './entities-of-row.ts';
import { type Group, newGroup } from './group.ts';
import type { EntityHistory, EntityKind, EntityState } from './history.ts';
import type { Random } from './random.ts';
import { renderGroup } from './render-group.ts';
import { createShownGroups, type ShownGroups } from './shown-groups.ts';

/** A store of return groups that keeps every version of each, to serve and judge the past. */
export interface OutsideStore {
  /** Makes one random change. */
  changeSomething(): void;
  /** Changes one group; the version becomes visible after its delay. */
  change(groupId: number, edit: (group: Group, now: number) => void, movesStamp: boolean): void;
  /** Removes the group. */
  remove(groupId: number): void;
  groupIds(): number[];
  latest(groupId: number): Group | undefined;
  /** Returns the groups that answers show. Each view has its own time. */
  view(): ShownGroups<Group>;
  histories(): EntityHistory[];
  /** Returns every `updated_at` that a group had, in the shown form. */
  stampsOf(groupId: number): string[];
}

export interface StoreOptions {
  readonly groups: number;
  /** The lowest id of a group. Two stores with the same lowest id share ids. */
  readonly firstId: number;
  readonly random: Random;
  /** Formats an instant for rows. */
  readonly stamp: (time: number) => string;
  /** How long a change stays invisible after its stamp. */
  readonly drawDelayMs: () => number;
  /** The lag of the slowest replica. */
  readonly staleMs: number;
  /** Whether `updated_at` moves if only a shipment changed. */
  readonly shipmentsMoveStamp: boolean;
  readonly kinds: readonly ChangeKind[];
  readonly strangeStatuses: boolean;
}

interface Version {
  readonly changedAt: number;
  readonly shownFrom: number;
  readonly group: Group | undefined;
}

const DAY_MS = 86_400_000;

export function createOutsideStore(options: StoreOptions): OutsideStore {
  const { random } = options;
  const versions = new Map<number, Version[]>();
  const living: number[] = [];
  const views: ShownGroups<Group>[] = [];
  let nextId = options.firstId;

  const oldest = Date.now() - random.between(20, 40) * DAY_MS;
  const newest = Date.now() - 60_000;
  const born = Array.from({ length: options.groups }, () => random.between(oldest, newest)).sort(
    (one, other) => one - other,
  );
  for (const createdAt of born) {
    const group = newGroup(nextId++, createdAt, random);
    const updatedAt = random.between(createdAt, Math.min(newest, createdAt + 5 * DAY_MS));
    for (const kind of ['label', 'parcel', 'parcel', 'exchange', 'refund'] as const) {
      if (random.chance(0.5)) EDITS[kind](group, random, updatedAt, false);
    }
    group.updatedAt = updatedAt;
    versions.set(group.id, [{ changedAt: 0, shownFrom: 0, group }]);
    living.push(group.id);
  }

  function append(id: number, group: Group | undefined, now: number): void {
    const kept = versions.get(id) ?? [];
    const shownFrom = Math.max(kept.at(-1)?.shownFrom ?? 0, now + options.drawDelayMs());
    versions.set(id, [...kept, { changedAt: now, shownFrom, group }]);
    for (const view of views) view.add(id, shownFrom, group);
    if (kept.length === 0) living.push(id);
    if (!group) living.splice(living.indexOf(id), 1);
  }

  const store: OutsideStore = {
    change(id, edit, movesStamp) {
      const now = Date.now();
      const group = structuredClone(store.latest(id));
      if (!group) return;
      edit(group, now);
      if (movesStamp) group.updatedAt = Math.max(group.updatedAt + 1, now);
      append(id, group, now);
    },
    remove: (id) => append(id, undefined, Date.now()),
    groupIds: () => [...living],
    latest: (id) => versions.get(id)?.at(-1)?.group,
    view() {
      const view = createShownGroups<Group>();
      for (const [id, kept] of versions) {
        for (const { shownFrom, group } of kept) view.add(id, shownFrom, group);
      }
      views.push(view);
      return view;
    },
    changeSomething() {
      const kind = random.pick(options.kinds);
      if (kind === 'group') {
        const now = Date.now();
        const group = newGroup(nextId++, now, random);
        append(group.id, group, now);
        return;
      }
      const id = random.pick(living);
      if (kind === 'removed-group') return store.remove(id);
      const movesStamp = options.shipmentsMoveStamp || (kind !== 'parcel' && kind !== 'label');
      store.change(id, (group, now) => EDITS[kind](group, random, now, options.strangeStatuses), movesStamp);
    },
    histories() {
      return [...versions.entries()].flatMap(([id, kept]) => historiesOf(id, kept, options));
    },
    stampsOf(id) {
      return (versions.get(id) ?? []).flatMap(({ group }) => (group ? [options.stamp(group.updatedAt)] : []));
    },
  };
  return store;
}

function historiesOf(groupId: number, kept: readonly Version[], options: StoreOptions): EntityHistory[] {
  const found = new Map<string, { kind: EntityKind; states: EntityState[] }>();

  for (const { changedAt, shownFrom, group } of kept) {
    const present: Entities = group ? entitiesOf(renderGroup(group, options.stamp)) : new Map();
    for (const [subject, { kind, fields }] of present) {
      const history = found.get(subject) ?? { kind, states: [] };
      found.set(subject, history);
      if (JSON.stringify(history.states.at(-1)?.fields) === JSON.stringify(fields)) continue;
      history.states.push({ changedAt, shownFrom, shownByAll: shownFrom + options.staleMs, fields });
    }
    for (const [subject, { states }] of found) {
      if (present.has(subject) || states.at(-1)?.fields === undefined) continue;
      states.push({ changedAt, shownFrom, shownByAll: shownFrom + options.staleMs, fields: undefined });
    }
  }

  return [...found].map(([subject, { kind, states }]) => ({ subject, kind, groupId, states }));
}
