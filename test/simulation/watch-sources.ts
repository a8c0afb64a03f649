// Records what the sources save over a run: when they start, end rounds, hold changes, and first store a group, an array or
// a field. The checker needs these times; the feed's own notes may be wrong.
import { GROUP_ARRAYS, type Snapshot } from '../../shared/comparing/snapshot.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { factsOf, LANES, type Lane, type SourceFacts } from './source-facts.ts';
import type { Stores } from './world/stores.ts';
import type { World } from './world/world.ts';

/** A source starts with its first state, and again when an operator starts a new generation. */
export interface Start {
  readonly generation: string;
  readonly baseline: 'silent' | 'emit';
  /** When its first state was saved. */
  readonly at: Instant;
  /** Its origin, once it was found, and when that was saved. */
  origin: { readonly stamp: Instant; readonly at: Instant } | undefined;
}

/** When a source had holds, or released changes that were not all published. */
export interface HeldTime {
  readonly from: Instant;
  /** Infinite if it had some at the end of the run. */
  to: Instant;
}

interface Save {
  readonly generation: string;
  readonly groupId: number;
  readonly at: Instant;
  readonly snapshot: Snapshot;
}

export interface SourceWatch {
  readonly starts: Start[];
  /** When each complete round was saved. */
  readonly rounds: Readonly<Record<Lane, Instant[]>>;
  readonly held: HeldTime[];
  /** When each hold of a mass change began, without a walk over older groups: that is judged after any pause. */
  readonly massChanges: Instant[];
  /** Whether an operator adopted a mass change. */
  hasAdopted: boolean;
  /** Every save of a group, in order. */
  readonly saves: Save[];
  /** When each group was first stored, by `<generation> <id>`. */
  readonly groupsStored: Map<string, Instant>;
  /** When each field, such as `shipment.carrier`, was first stored with a value. */
  readonly fieldsStored: Map<string, Instant>;
  facts: SourceFacts | undefined;
}

/** @returns the watch of a source, by its name */
export function watchSources({ stores, time, trace }: World): (source: string) => SourceWatch {
  const watches = new Map<string, SourceWatch>();
  const watchOf = (source: string): SourceWatch => {
    const watch = watches.get(source) ?? newWatch();
    watches.set(source, watch);
    return watch;
  };
  onSnapshotSaved(stores, (source, generation, snapshot) => {
    const { saves, groupsStored, fieldsStored } = watchOf(source);
    saves.push({ generation, groupId: snapshot.groupId, at: time.now(), snapshot });
    const note = (times: Map<string, Instant>, name: string) => {
      if (!times.has(name)) times.set(name, time.now());
    };
    note(groupsStored, `${generation} ${snapshot.groupId}`);
    for (const field of fieldsIn(snapshot)) note(fieldsStored, field);
  });
  onStateSaved(stores, (state) => {
    const facts = factsOf(state);
    const watch = watchOf(facts.source);
    const { starts, rounds, held, facts: before } = watch;
    const now = time.now();
    const { generation, baseline, origin } = facts;
    const start = starts.find((each) => each.generation === generation) ?? {
      ...{ generation, baseline, at: now, origin: undefined },
    };
    if (!starts.includes(start)) starts.push(start);
    if (origin !== undefined) start.origin ??= { stamp: origin, at: now };
    for (const lane of LANES) {
      const round = facts.rounds[lane];
      if (round !== undefined && round !== before?.rounds[lane]) rounds[lane].push(now);
    }
    const open = held.at(-1);
    const wasHeld = open?.to === Number.POSITIVE_INFINITY;
    if (facts.holds.length > 0 && !wasHeld) held.push({ from: now, to: Number.POSITIVE_INFINITY });
    if (facts.holds.length === 0 && open !== undefined && wasHeld) open.to = now;
    for (const { number, kind } of facts.holds)
      if (!before?.holds.some((hold) => hold.number === number)) {
        trace.count(`hold ${kind}`);
        if (kind === 'mass_change' && !facts.walksOlder) watch.massChanges.push(now);
      }
    watch.hasAdopted ||= facts.holds.some(({ isAdopted }) => isAdopted);
    watch.facts = facts;
  });
  return watchOf;
}

function newWatch(): SourceWatch {
  return {
    starts: [],
    rounds: { late: [], recent: [], older: [] },
    held: [],
    massChanges: [],
    hasAdopted: false,
    saves: [],
    groupsStored: new Map(),
    fieldsStored: new Map(),
    facts: undefined,
  };
}

interface Entity {
  readonly type: string;
}

/** The fields with a value. A list of ids is stored as empty if the service left it out. */
function* fieldsIn({ projection }: Snapshot): Generator<string> {
  const entities: readonly Entity[] = [
    projection.group,
    ...GROUP_ARRAYS.flatMap((name): readonly Entity[] => projection[name] ?? []),
  ];
  for (const entity of entities) {
    for (const [field, value] of Object.entries(entity)) {
      const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
      if (!isEmpty) yield `${entity.type}.${field}`;
    }
  }
}

/**
 * When the first whole walk had ended that began `settle` after a field was first stored: until then its value may be
 * older than the field. Undefined if none did.
 */
export function fieldKnownBy({ fieldsStored, rounds }: SourceWatch, settleMs: number, field: string) {
  const first = fieldsStored.get(field);
  // A walk begins after the one before it has ended.
  const place =
    first === undefined ? -1 : rounds.older.findIndex((endedAt) => endedAt >= first + settleMs * MILLISECOND);
  return place === -1 ? undefined : rounds.older[place + 1];
}

function onSnapshotSaved(
  { snapshots }: Stores,
  note: (source: string, generation: string, snapshot: Snapshot) => void,
): void {
  const { save, saveAll } = snapshots;
  snapshots.save = async (key, saved) => {
    const result = await save(key, saved);
    if (result === 'saved') note(key.source, key.generation, saved.snapshot);
    return result;
  };
  snapshots.saveAll = async (source, saves) => {
    const results = await saveAll(source, saves);
    for (const [index, { snapshot }] of saves.entries())
      if (results[index] === 'saved') note(source.source, source.generation, snapshot);
    return results;
  };
}

function onStateSaved({ states }: Stores, note: (state: SourceState) => void): void {
  const { save } = states;
  states.save = async (state, expectedVersion) => {
    const result = await save(state, expectedVersion);
    if (result === 'saved') note(state);
    return result;
  };
}
