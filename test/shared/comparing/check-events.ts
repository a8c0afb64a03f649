// Checks a group's published events against the true history: they must be complete, unbroken, in order and true.
import { atFirstSight } from '../../../shared/comparing/change-set.ts';
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import type { GroupProjection } from '../../../shared/comparing/snapshot.ts';
import { type EntityEvent, EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { WATCHED_FIELDS, type WatchedKind } from '../../../shared/contract/watched-fields.ts';
import { parseStamp } from '../../../shared/instant.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { instantOf } from './a-reading.ts';
import { type Followed, PLAIN, type TakenIn } from './follow-history.ts';
import { LATE_FIELDS, show, type Version } from './true-history.ts';

/** Entities' watched fields as they were published, by `<kind>/<id>`. */
type Published = Map<string, Record<string, unknown>>;

/** @throws Error that describes the first broken guarantee */
export function checkEvents(followed: Followed): void {
  const published: Published = new Map();
  const truth = followed.versions.map(statesOf);
  const places = new Map<string, number>();
  const silent = [...followed.takenIn];
  const arraysSeen = new Set<string>();
  for (const [at, event] of followed.events.entries()) {
    while (silent[0] !== undefined && silent[0].eventsBefore <= at) takeIn(silent.shift());
    checkForm(event, at + 1);
    checkChain(event, published);
    checkTruth(event, followed, truth, places);
  }
  for (const taken of silent) takeIn(taken);
  if (!followed.isSettled) throw new Error('The feed never settles.');
  checkPresent(published, truth.at(-1) ?? new Map(), followed);

  /** Adds the entities that a silent feed reads for the first time, and for which it publishes no event. */
  function takeIn(taken: TakenIn | undefined): void {
    if (taken === undefined || !followed.isSilent) return;
    if (taken.isAnnounced) arraysSeen.clear();
    for (const [name, list] of Object.entries(arraysOf(atFirstSight(taken.reading)))) {
      if (list === undefined || arraysSeen.has(name)) continue;
      arraysSeen.add(name);
      if (taken.isAnnounced) continue;
      for (const entity of list) published.set(keyOf(entity), watchedOf(entity));
    }
  }
}

type Entity = { readonly type: string; readonly id?: number | string; readonly [field: string]: unknown };

function arraysOf(projection: GroupProjection): Record<string, readonly Entity[] | undefined> {
  const { group, return_line_items, shipments, exchange_line_items } = projection;
  return { group: [group], return_line_items, shipments, exchange_line_items };
}

function keyOf(entity: Entity): string {
  return `${entity.type}/${entity.id}`;
}

function watchedOf(entity: Entity): Record<string, unknown> {
  const fields: readonly string[] = WATCHED_FIELDS[entity.type as WatchedKind] ?? [];
  return Object.fromEntries(fields.map((field) => [field, entity[field]]));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Checks that the event has exactly the fields of its schema and the next number. */
function checkForm(event: EntityEvent, number: number): void {
  const parsed = EVENT_SCHEMAS[event.type].parse(event);
  if (JSON.stringify(sortKeys(parsed)) !== JSON.stringify(sortKeys(event)))
    throw new Error(`Event ${number} has fields that its schema does not have.`);
  if (event.data.sequence !== number || event.id !== `acme_mi8x2k_7_${number}`)
    throw new Error(`Event ${number} has the number ${event.data.sequence}.`);
}

function checkChain(event: EntityEvent, published: Published): void {
  const object = event.data.object as Entity;
  if (object.type === 'refund_transaction') return;
  const key = keyOf(object);
  const before = published.get(key);
  const now = watchedOf(object);
  const verb = event.type.split('.')[1];
  if (verb === 'created') {
    if (before !== undefined) throw new Error(`${event.id}: ${key} is created twice.`);
  } else if (before === undefined) {
    throw new Error(`${event.id}: ${key} was never published.`);
  } else if ('previous_attributes' in event.data) {
    const previous = event.data.previous_attributes as Record<string, unknown>;
    if (!isSame({ ...now, ...previous }, before)) throw new Error(`${event.id}: the chain of ${key} breaks.`);
    if (Object.entries(previous).some(([field, value]) => isSame(value, now[field])))
      throw new Error(`${event.id}: previous_attributes has a field that did not change.`);
    if (Object.keys(previous).length === 0) throw new Error(`${event.id}: previous_attributes is empty.`);
    if ('status' in previous !== (verb === 'status_changed')) throw new Error(`${event.id}: wrong verb.`);
  } else if (!isTrue(plain(before), plain(now))) {
    throw new Error(`${event.id}: ${key} is not removed in its last known state.`);
  }
  published.set(key, now);
  if (verb === 'removed') published.delete(key);
  if (event.type === 'return_group.removed') published.clear();
}

/** Watched fields, stamps as instants. */
type State = Readonly<Record<string, unknown>>;

function statesOf({ group }: Version): Map<string, State> {
  if (group === undefined) return new Map();
  const parsed = parseReturnGroup(show(group, true, PLAIN));
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  const entities = Object.values(arraysOf(atFirstSight({ projection: projectGroup(parsed.group) }))).flatMap(
    (list) => list ?? [],
  );
  return new Map(entities.map((entity) => [keyOf(entity), plain(watchedOf(entity))]));
}

function plain(watched: Record<string, unknown>): State {
  const instant = (value: unknown) =>
    typeof value === 'string' ? (parseStamp(value)?.instant ?? value) : value;
  return Object.fromEntries(Object.entries(watched).map(([field, value]) => [field, instant(value)]));
}

/** Ignores late fields, which the feed may have filled in without an event. */
function isTrue(state: State | undefined, truth: State | undefined): boolean {
  if (state === undefined || truth === undefined) return state === truth;
  return Object.keys(truth).every(
    (field) => isSame(state[field], truth[field]) || isUnpublished(state, field),
  );
}

function isUnpublished(state: State, field: string): boolean {
  return LATE_FIELDS.includes(field) && (state[field] === null || isSame(state[field], []));
}

/**
 * Checks that the state in an event was true at some time, not before the state in the entity's last event, and began
 * between the moments of its observation.
 */
function checkTruth(
  event: EntityEvent,
  followed: Followed,
  truth: readonly ReadonlyMap<string, State>[],
  places: Map<string, number>,
): void {
  const object = event.data.object as Entity;
  if (object.type === 'refund_transaction') return;
  const key = keyOf(object);
  const state = event.type.endsWith('.removed') ? undefined : plain(watchedOf(object));
  const holds = (at: number) => isTrue(state, truth[at]?.get(key));
  const last = places.get(key) ?? 0;
  const place = truth.findIndex((_, at) => at >= last && holds(at));
  if (place < 0)
    throw new Error(`${event.id}: ${key} never had this state, or not after the state of its last event.`);
  places.set(key, place);
  const holdsExactly = (at: number) => isSame(state, truth[at]?.get(key));
  if (!isObservedTruly(event, followed, holds) && !isObservedTruly(event, followed, holdsExactly))
    throw new Error(`${event.id}: the state of ${key} did not begin within its observation.`);
}

/**
 * Whether a state began between the moments of its observation. A third reading, staler than the second, may show a
 * state that began and ended between the first two: that state must only have held at some time between them. Late
 * fields are sometimes published after an answer that left out the array.
 */
function isObservedTruly(
  { data }: EntityEvent,
  { versions, keepsUnchanged }: Followed,
  holds: (at: number) => boolean,
): boolean {
  const { observed } = data;
  const previous = 'previous_attributes' in data ? (data.previous_attributes as State) : { status: '' };
  if (Object.keys(previous).every((field) => isUnpublished(previous, field))) return true;
  const after = observed.after === null ? Number.NEGATIVE_INFINITY : instantOf(observed.after);
  const by = instantOf(observed.by);
  return versions.some(({ from }, at) => {
    if (!holds(at) || from > by) return false;
    const begins = from > after && !(at > 0 && holds(at - 1));
    return begins || (keepsUnchanged && (versions[at + 1]?.from ?? by) > after);
  });
}

function checkPresent(published: Published, present: ReadonlyMap<string, State>, followed: Followed): void {
  for (const key of new Set([...published.keys(), ...present.keys()])) {
    const watched = published.get(key);
    if (!isTrue(watched && plain(watched), present.get(key)))
      throw new Error(`${key} is not as published: ${JSON.stringify([watched, present.get(key)])}.`);
  }
  const since = followed.events.findLastIndex(({ type }) => type === 'return_group.created');
  const refunds = followed.events.slice(since + 1).filter(({ type }) => type.startsWith('refund'));
  const there = followed.versions.at(-1)?.group?.refund_transactions.length ?? 0;
  if (!followed.isSilent && present.size > 0 && refunds.length !== there)
    throw new Error(`${refunds.length} refunds are published, ${there} exist.`);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sortKeys(field)]),
  );
}
