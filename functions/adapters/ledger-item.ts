// Events as the ledger stores them, one to an item as a rule: `k` their group's key, `n` the last number, `f` the first
// if there are several, `b` the event or the list as a body, `x` the second after which DynamoDB may delete the item.
// The key is the last number, so `n > :after` finds every later event. A save's first event has an item of its own: two
// saves that begin with the same number collide, however many events they have.
// An event is read exactly as it was written: the same id must always carry the same content.
import * as z from 'zod';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { formatEventId } from '../../shared/contract/event-id.ts';
import { chunked } from '../../shared/in-parallel.ts';
import { DAY, type Instant, SECOND } from '../../shared/instant.ts';
import { LEDGER_RETENTION, READ_RETENTION } from '../../shared/limits.ts';
import type { GroupKey, LedgerEntry } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem, storedBytes } from './attribute-values.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

const FORMAT = 1;

/**
 * Items of one save: a transaction takes 100 actions, and the snapshot is one of them. A save in several transactions
 * would show states in between.
 */
const MAX_ITEMS_PER_SAVE = 90;

/** @param expires see {@link expiry}; without it the event is kept permanently */
export function toLedgerItem(key: GroupKey, event: FeedEvent, expires?: number): StoredItem {
  return toItem(key, [event], expires);
}

/** Returns the items of one save: one per event if these are few enough, else as few events to an item as possible. */
export function toLedgerItems(key: GroupKey, events: readonly FeedEvent[], expires: number): StoredItem[] {
  const others = events.slice(1);
  const size = Math.ceil(others.length / (MAX_ITEMS_PER_SAVE - 1));
  return [events.slice(0, 1), ...chunked(others, size)].map((some) => toItem(key, some, expires));
}

function toItem(key: GroupKey, events: readonly FeedEvent[], expires: number | undefined): StoredItem {
  const numbers = events.map(({ data }) => data.sequence);
  return {
    k: { S: formatGroupKey(key) },
    n: numberValue(Math.max(...numbers)),
    ...formatAttribute(FORMAT),
    ...(expires === undefined ? {} : { x: numberValue(expires) }),
    ...contentOf(Math.min(...numbers), events),
  };
}

function contentOf(first: number, events: readonly unknown[]): StoredItem {
  if (events.length === 1) return { b: { B: encodeBody(events[0]) } };
  return { f: numberValue(first), b: { B: encodeBody(events) } };
}

/** In seconds, at the end of a day, so that an event written again on the same day is the same item. */
export function expiry(now: Instant): number {
  return (Math.ceil((now + LEDGER_RETENTION) / DAY) * DAY) / SECOND;
}

/** In seconds, for a report of what is read. */
export function expiryOfRead(now: Instant): number {
  return Math.ceil((now + READ_RETENTION) / SECOND);
}

/** The numbers of an item's events; its attributes `n` and `f` are enough. */
export function numbersOf(item: StoredItem): { readonly first: number; readonly last: number } {
  const last = Number(item.n?.N);
  return { first: Number(item.f?.N ?? last), last };
}

/** Returns the entry of each event, in order. */
export function fromLedgerItem(item: StoredItem, key: GroupKey): LedgerEntry[] {
  const { first, last } = numbersOf(item);
  const sequences = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  try {
    const events = readEvents(item);
    return sequences.map((sequence, at) => toLedgerEntry(events[at], key, sequence));
  } catch (error) {
    if (!(error instanceof UnreadableItemError)) throw error;
    return sequences.map((sequence) => ({ sequence, undecodable: error.message }));
  }
}

/**
 * Returns the item without its events up to a number, which must not be its last one.
 *
 * @throws UnreadableItemError
 */
export function cutLedgerItem(item: StoredItem, through: number): StoredItem {
  const { f: first, ...rest } = item;
  const kept = readEvents(item).slice(through + 1 - numbersOf(item).first);
  return { ...rest, ...contentOf(through + 1, kept) };
}

function readEvents(item: StoredItem): readonly unknown[] {
  return readStored(item, { [FORMAT]: readFormat1 });
}

function readFormat1(item: StoredItem): readonly unknown[] {
  const bytes = storedBytes.safeParse(item.b).data;
  if (bytes === undefined) throw new UnreadableItemError('it has no body');
  const body = decodeBody(bytes);
  if (item.f === undefined) return [body];
  if (!Array.isArray(body)) throw new UnreadableItemError('its body is no list of events');
  return body;
}

/** The entry for what a store has under a number of a group; says so if that is not this event. */
export function toLedgerEntry(event: unknown, key: GroupKey, sequence: number): LedgerEntry {
  const problem = envelope.safeParse(event).error?.issues[0];
  if (problem !== undefined)
    return { sequence, undecodable: `its body is no event, see "${problem.path.join('.')}"` };
  const { id } = event as FeedEvent;
  if (id !== formatEventId({ ...key, sequence }))
    return { sequence, undecodable: 'its body is another event' };
  return { sequence, event: event as FeedEvent };
}

/** The fields that the destinations use. The data is not checked: a later release may have written it. */
const envelope = z.object({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.string(),
  partitionkey: z.string(),
  data: z.object({ generation: z.string(), sequence: z.int() }),
});
