// Which sources are due in a minute, and where their ticks go. Pure, so that a repeated dispatch of a minute plans the
// same.
import { chunked } from '../in-parallel.ts';
import { type KnownSource, lastReadAt, sendLong } from './known-source.ts';

export const MINUTE_MS = 60_000;
/** Sources of one message of the quick queue: their answers of 1 MiB each fit into a poller's memory. */
const SOURCES_OF_A_SHARD = 20;
/** Shards come spread over this part of the minute; the rest is for their polls and notes. */
const SPREAD_SECONDS = 40;
/** A tick that was not noted for so long is lost: the queue keeps no older one. */
export const TICKS_LAST_MS = 600_000;
/** The longest time between the ticks of a source that fails. */
const MOST_BACKOFF_MINUTES = 5;
/** How long a source may go without being read completely; or three intervals, if that is longer. */
const SILENCE_MS = 300_000;

/** What a plan needs of a source's entry. */
export interface DueSource {
  readonly name: string;
  /** Of its entry. */
  readonly version: number;
  readonly alarm: boolean;
  readonly settings: { readonly intervalMs: number };
}

/** A source in a message. */
export interface SourceToPoll {
  readonly source: string;
  /** Of its entry: what a process remembers of an older one is not used. */
  readonly version: number;
  /** Whether it has a metric of its own. */
  readonly alarm: boolean;
  /** When a quick tick last read it completely without news, in milliseconds since the epoch. */
  readonly quietAt?: number | undefined;
}

export interface Shard {
  /** Numbers the minutes since the epoch. */
  readonly minute: number;
  readonly shard: number;
  /** When it is due, in milliseconds since the epoch. */
  readonly slot: number;
  readonly sources: readonly SourceToPoll[];
}

export interface MinutePlan {
  readonly shards: readonly Shard[];
  /** For the long queue. */
  readonly long: readonly SourceToPoll[];
  /** What the next minute has to know besides the notes of this one and the last. */
  readonly known: Readonly<Record<string, KnownSource>>;
  readonly figures: DispatchFigures;
  /** The sources whose last tick is longest ago, worst first, in milliseconds beyond their interval and a minute. */
  readonly late: readonly { readonly source: string; readonly lateMs: number }[];
}

export interface DispatchFigures {
  readonly sources: number;
  readonly due: number;
  /** Sources that have not been read completely for five minutes, or three intervals. */
  readonly behind: number;
  /** Sources whose last tick failed. */
  readonly failing: number;
  readonly held: number;
  readonly setAside: number;
}

/**
 * @param known of sources; without one a source is new
 * @param lastMinute the last one that was dispatched: the next dispatch finds its notes by itself
 */
export function planMinute(
  minute: number,
  sources: readonly DueSource[],
  known: ReadonlyMap<string, KnownSource>,
  lastMinute: number,
): MinutePlan {
  const slot = minute * MINUTE_MS;
  const planned = sources.map((source) => planSource(source, known.get(source.name), slot));
  const to = (queue: Planned['to']) => planned.filter((each) => each.to === queue).map(toPoll);
  const count = (what: (known: KnownSource) => number) =>
    planned.reduce((sum, each) => sum + what(each.known), 0);
  const kept = planned.filter(
    ({ known: { notedAt = 0, long, held = 0, setAside = 0 } }) =>
      notedAt < lastMinute * MINUTE_MS || long !== undefined || held + setAside > 0,
  );
  return {
    shards: drawShards(minute, to('quick')),
    long: to('long'),
    known: Object.fromEntries(kept.map(({ source, known }) => [source.name, known])),
    figures: {
      sources: sources.length,
      due: planned.filter((each) => each.to !== undefined).length,
      behind: planned.filter((each) => isBehind(each, slot)).length,
      failing: count(({ isFailing }) => (isFailing === true ? 1 : 0)),
      held: count(({ held = 0 }) => held),
      setAside: count(({ setAside = 0 }) => setAside),
    },
    late: planned
      .map((each) => ({ source: each.source.name, lateMs: lateMs(each, slot) }))
      .filter((each) => each.lateMs > 0)
      .sort((a, b) => b.lateMs - a.lateMs),
  };
}

interface Planned {
  readonly source: DueSource;
  readonly known: KnownSource;
  /** Undefined if it gets no tick now. */
  readonly to: 'quick' | 'long' | undefined;
}

function planSource(source: DueSource, before: KnownSource | undefined, slot: number): Planned {
  const known = backToQuick(before ?? { since: slot }, slot);
  // Its later ticks of the minute come from the first one, whatever became of the one before.
  if (source.settings.intervalMs < MINUTE_MS) return { source, known: sendLong(known, slot), to: 'long' };
  if (!isDue(source, slot / MINUTE_MS)) return { source, known, to: undefined };
  if (known.long === undefined) return { source, known, to: 'quick' };
  if (mayGoLong(known.long, slot)) return { source, known: sendLong(known, slot), to: 'long' };
  return { source, known, to: undefined };
}

/** Each minute that is a multiple of the interval, moved by the name, so that not all come at once. */
export function isDue({ name, settings }: DueSource, minute: number): boolean {
  const minutes = Math.max(1, Math.round(settings.intervalMs / MINUTE_MS));
  return (minute + hashOf(name)) % minutes === 0;
}

/** One tick at a time, and fewer of a source that fails. */
function mayGoLong(
  { sentAt, doneAt = 0, failures }: NonNullable<KnownSource['long']>,
  slot: number,
): boolean {
  const since = slot - sentAt;
  if (doneAt < sentAt) return since >= TICKS_LAST_MS;
  const backoff = failures === 0 ? 0 : Math.min(MOST_BACKOFF_MINUTES, 2 ** (failures - 1));
  // A shard sends its ticks within the minute.
  return Math.ceil(since / MINUTE_MS) >= backoff;
}

/** The source without its time with the long queue, once that is over: it has not failed, and no tick is under way. */
function backToQuick(known: KnownSource, slot: number): KnownSource {
  const { long, ...rest } = known;
  if (long === undefined || slot < long.until || long.failures > 0) return known;
  const isUnderWay = (long.doneAt ?? 0) < long.sentAt && slot - long.sentAt < TICKS_LAST_MS;
  return isUnderWay ? known : rest;
}

/** Drawn anew each minute, so that a source does not always share the fate of the same others. */
function drawShards(minute: number, sources: readonly SourceToPoll[]): Shard[] {
  const drawn = sources
    .map((each) => ({ each, rank: hashOf(`${minute} ${each.source}`) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ each }) => each);
  const shards = chunked(drawn, SOURCES_OF_A_SHARD);
  return shards.map((some, shard) => ({
    ...{ minute, shard, sources: some },
    slot: minute * MINUTE_MS + Math.floor((shard * SPREAD_SECONDS) / shards.length) * 1_000,
  }));
}

function toPoll({ source: { name, version, alarm }, known: { quietAt } }: Planned): SourceToPoll {
  return { source: name, version, alarm, ...(quietAt !== undefined && { quietAt }) };
}

function isBehind({ source, known }: Planned, slot: number): boolean {
  return slot - lastReadAt(known) > Math.max(SILENCE_MS, 3 * source.settings.intervalMs);
}

/** A source that fails waits on purpose. */
function lateMs({ source, known: { since, notedAt = since, long } }: Planned, slot: number): number {
  if ((long?.failures ?? 0) > 0) return 0;
  return slot - notedAt - Math.max(MINUTE_MS, source.settings.intervalMs) - MINUTE_MS;
}

/** FNV-1a, with the last step of MurmurHash3: names that differ in their last letter alone differ everywhere. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
