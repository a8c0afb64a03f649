// Judges a group's published events by what was true: complete, unbroken, in order, and nothing that did not happen.
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import type { GroupProjection } from '../../../shared/comparing/snapshot.ts';
import { type EntityEvent, EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { WATCHED_FIELDS, type WatchedKind } from '../../../shared/contract/watched-fields.ts';
import { parseStamp } from '../../../shared/instant.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { instantOf } from './a-reading.ts';
import { type Followed, PLAIN, type TakenIn } from './follow-history.ts';
import { LATE_FIELDS, show, type Version } from './true-history.ts';

/** An entity's watched fields as they were told, by `<kind>/<id>`. */
type Told = Map<string, Record<string, unknown>>;

/** @throws with a sentence for the first promise that is broken. */
export function checkEvents(followed: Followed): void {
  const told: Told = new Map();
  const truth = followed.versions.map(statesOf);
  const places = new Map<string, number>();
  const silent = [...followed.takenIn];
  const arraysSeen = new Set<string>();
  for (const [at, event] of followed.events.entries()) {
    while (silent[0] !== undefined && silent[0].told <= at) takeIn(silent.shift());
    checkForm(event, at + 1);
    checkChain(event, told);
    checkTruth(event, followed, truth, places);
  }
  for (const taken of silent) takeIn(taken);
  if (!followed.isSettled) throw new Error('It never settles.');
  checkPresent(told, truth.at(-1) ?? new Map(), followed);

  /** What a silent feed reads for the first time is known without an event. */
  function takeIn(taken: TakenIn | undefined): void {
    if (taken === undefined || !followed.isSilent) return;
    if (taken.isAnnounced) arraysSeen.clear();
    for (const [name, list] of Object.entries(arraysOf(taken.reading.projection))) {
      if (list === undefined || arraysSeen.has(name)) continue;
      arraysSeen.add(name);
      if (taken.isAnnounced) continue;
      for (const entity of list) told.set(keyOf(entity), watchedOf(entity));
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

/** Valid, to the schema and not beyond it; numbered on from the one before. */
function checkForm(event: EntityEvent, number: number): void {
  const parsed = EVENT_SCHEMAS[event.type].parse(event);
  if (JSON.stringify(sortKeys(parsed)) !== JSON.stringify(sortKeys(event)))
    throw new Error(`Event ${number} holds more than its schema says.`);
  if (event.data.sequence !== number || event.id !== `acme_mi8x2k_7_${number}`)
    throw new Error(`Event ${number} has the number ${event.data.sequence}.`);
}

function checkChain(event: EntityEvent, told: Told): void {
  const object = event.data.object as Entity;
  if (object.type === 'refund_transaction') return;
  const key = keyOf(object);
  const before = told.get(key);
  const now = watchedOf(object);
  const verb = event.type.split('.')[1];
  if (verb === 'created') {
    if (before !== undefined) throw new Error(`${event.id}: ${key} is created twice.`);
  } else if (before === undefined) {
    throw new Error(`${event.id}: ${key} was never told.`);
  } else if ('previous_attributes' in event.data) {
    const previous = event.data.previous_attributes as Record<string, unknown>;
    if (!isSame({ ...now, ...previous }, before)) throw new Error(`${event.id}: the chain of ${key} breaks.`);
    if (Object.entries(previous).some(([field, value]) => isSame(value, now[field])))
      throw new Error(`${event.id}: something is told as changed that is not.`);
    if (Object.keys(previous).length === 0) throw new Error(`${event.id}: nothing is told as changed.`);
    if ('status' in previous !== (verb === 'status_changed')) throw new Error(`${event.id}: wrong verb.`);
  } else if (!isTrue(plain(before), plain(now))) {
    throw new Error(`${event.id}: ${key} is not removed as last known.`);
  }
  told.set(key, now);
  if (verb === 'removed') told.delete(key);
  if (event.type === 'return_group.removed') told.clear();
}

/** Watched fields, stamps as instants. */
type State = Readonly<Record<string, unknown>>;

function statesOf({ group }: Version): Map<string, State> {
  if (group === undefined) return new Map();
  const parsed = parseReturnGroup(show(group, true, PLAIN));
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  const entities = Object.values(arraysOf(projectGroup(parsed.group))).flatMap((list) => list ?? []);
  return new Map(entities.map((entity) => [keyOf(entity), plain(watchedOf(entity))]));
}

function plain(watched: Record<string, unknown>): State {
  const instant = (value: unknown) =>
    typeof value === 'string' ? (parseStamp(value)?.instant ?? value) : value;
  return Object.fromEntries(Object.entries(watched).map(([field, value]) => [field, instant(value)]));
}

/** What the service did not send from the start may have been filled in without a word. */
function isTrue(told: State | undefined, truth: State | undefined): boolean {
  if (told === undefined || truth === undefined) return told === truth;
  return Object.keys(truth).every((field) => isSame(told[field], truth[field]) || isUntold(told, field));
}

function isUntold(told: State, field: string): boolean {
  return LATE_FIELDS.includes(field) && (told[field] === null || isSame(told[field], []));
}

/**
 * What an event tells was true once, not before what the entity's last event told, and began between the moments
 * that it was observed between.
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
    throw new Error(`${event.id}: ${key} was never like that, or not since it was told otherwise.`);
  places.set(key, place);
  const holdsExactly = (at: number) => isSame(state, truth[at]?.get(key));
  if (!isObservedTruly(event, followed, holds) && !isObservedTruly(event, followed, holdsExactly))
    throw new Error(`${event.id}: that ${key} is like that did not begin when it says.`);
}

/**
 * Whether a state began between the moments that it was observed between. What was there and gone again between two
 * readings may come from a third that is staler than the second: then it must only have held between them. Late
 * fields are told at times where an answer that left out the array came between.
 */
function isObservedTruly(
  { data }: EntityEvent,
  { versions, remembers }: Followed,
  holds: (at: number) => boolean,
): boolean {
  const { observed } = data;
  const previous = 'previous_attributes' in data ? (data.previous_attributes as State) : { status: '' };
  if (Object.keys(previous).every((field) => isUntold(previous, field))) return true;
  const after = observed.after === null ? Number.NEGATIVE_INFINITY : instantOf(observed.after);
  const by = instantOf(observed.by);
  return versions.some(({ from }, at) => {
    if (!holds(at) || from > by) return false;
    const begins = from > after && !(at > 0 && holds(at - 1));
    return begins || (remembers && (versions[at + 1]?.from ?? by) > after);
  });
}

function checkPresent(told: Told, present: ReadonlyMap<string, State>, followed: Followed): void {
  for (const key of new Set([...told.keys(), ...present.keys()])) {
    const watched = told.get(key);
    if (!isTrue(watched && plain(watched), present.get(key)))
      throw new Error(`${key} is not as it was told: ${JSON.stringify([watched, present.get(key)])}.`);
  }
  const since = followed.events.findLastIndex(({ type }) => type === 'return_group.created');
  const refunds = followed.events.slice(since + 1).filter(({ type }) => type.startsWith('refund'));
  const there = followed.versions.at(-1)?.group?.refund_transactions.length ?? 0;
  if (!followed.isSilent && present.size > 0 && refunds.length !== there)
    throw new Error(`${refunds.length} refunds are told, ${there} are there.`);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sortKeys(field)]),
  );
}
