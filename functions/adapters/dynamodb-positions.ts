// The events of the pull feed by their positions, as dynamodb-position-writer.ts assigns them: the table of marks says
// which event a position has, the ledger has it.
import * as z from 'zod';
import { isForgotten } from '../../shared/comparing/forget-group.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { type Instant, SECOND } from '../../shared/instant.ts';
import { LEDGER_RETENTION } from '../../shared/limits.ts';
import type { GroupKey, Ledger, LedgerEntry, SnapshotStore } from '../../shared/ports.ts';
import type { PositionedEvent, Positions } from '../../shared/pulling/positions.ts';
import type { CountedPositions } from '../../shared/pulling/unread.ts';
import { parseGroupKey } from '../../shared/recording/group-key.ts';
import { type StoredItem, storedNumber, storedText } from './attribute-values.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { COUNTER_KEY, positionKey, readCounter } from './dynamodb-position-writer.ts';
import { identifyTables } from './dynamodb-table-id.ts';
import { readStored, UnreadableItemError } from './stored-format.ts';

export interface PositionsOptions extends TableAccess<'marks'> {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly snapshots: Pick<SnapshotStore, 'load'>;
}

/** How often a reader that waits looks for new positions. */
const LOOK_EVERY_MS = 1_000;
const GROUPS_AT_ONCE = 16;
const FORMAT = 1;

export function createDynamoDbPositions(options: PositionsOptions): Positions & CountedPositions {
  const { client, clock, tables } = options;
  let epoch: Promise<string> | undefined;
  let [seen, knownExpired] = [0, 0];

  async function newest(): Promise<number> {
    seen = readCounter(await readItem(client, tables.marks, COUNTER_KEY)).newest;
    return seen;
  }

  /** @returns until when the position is kept; undefined if it is not */
  async function keptUntil(position: number): Promise<Instant | undefined> {
    const item = await readItem(client, tables.marks, { k: { S: positionKey(position) } });
    const until = item && toPlace(item).keptUntil;
    return until !== undefined && until > clock.now() ? until : undefined;
  }

  return {
    /** Of the table that counts: one that was restored gives the same positions to other events. */
    epoch() {
      epoch ??= identifyTables(client, [tables.marks]).catch((error: unknown) => {
        epoch = undefined;
        throw error;
      });
      return epoch;
    },

    newest,

    async read(after, limit) {
      const last = Math.min(after + limit, await newest());
      if (last <= after) return { events: [], last: after };
      const places = await readPlaces(options, after, last);
      const events = await readEvents(options, places);
      if (events === 'expired') return 'expired';
      return { events, last: after + places.length };
    },

    /** The oldest positions expire first, so halving finds the first one that is left. */
    async expired() {
      let [gone, kept] = [knownExpired, (await newest()) + 1];
      for (let at = gone + 1; gone + 1 < kept; at = Math.floor((gone + kept) / 2))
        if ((await keptUntil(at)) !== undefined) kept = at;
        else gone = at;
      knownExpired = gone;
      return gone;
    },

    async beyond(after) {
      const count = (await newest()) - after;
      if (count <= 0) return { count: 0, isCut: false, since: undefined };
      const until = await keptUntil(after + 1);
      return until === undefined ? 'expired' : { count, isCut: false, since: until - LEDGER_RETENTION };
    },

    async change(signal) {
      for (const before = seen; !signal.aborted; ) {
        await clock.sleep(LOOK_EVERY_MS, signal);
        if (!signal.aborted && (await newest()) !== before) return;
      }
    },
  };
}

interface Place {
  readonly position: number;
  readonly key: GroupKey;
  readonly groupKey: string;
  readonly sequence: number;
  readonly keptUntil: Instant;
}

const format1 = z.object({ k: storedText, g: storedText, n: storedNumber, x: storedNumber });

/** @throws UnreadableItemError */
function toPlace(item: StoredItem): Place {
  const { k, g: groupKey, n: sequence, x } = readStored(item, { [FORMAT]: (given) => format1.parse(given) });
  const key = parseGroupKey(groupKey);
  if (key === undefined) throw new UnreadableItemError(`Stored item "${k}" names no group.`);
  return { position: Number(k.slice(-16)), key, groupKey, sequence, keptUntil: x * SECOND };
}

/** The positions after one that are kept, without a hole. */
async function readPlaces(
  { client, clock, tables, random }: PositionsOptions,
  after: number,
  last: number,
): Promise<Place[]> {
  const positions = Array.from({ length: last - after }, (_, at) => after + 1 + at);
  const items = await readBatch({ client, clock, random }, tables.marks, positions.map(positionKey));
  const places = new Map(items.map(toPlace).map((place) => [place.position, place]));
  const now = clock.now();
  const isGone = (position: number) => (places.get(position)?.keptUntil ?? 0) <= now;
  const hole = positions.findIndex(isGone);
  return positions.slice(0, hole === -1 ? undefined : hole).flatMap((position) => places.get(position) ?? []);
}

/**
 * @returns `expired` if there is none to read, or the first is no longer in the ledger
 * @throws UnreadableItemError: a reader must not miss an event in silence
 */
async function readEvents(
  { ledger, snapshots }: PositionsOptions,
  places: readonly Place[],
): Promise<PositionedEvent[] | 'expired'> {
  if (places.length === 0) return 'expired';
  const groups = [...Map.groupBy(places, ({ groupKey }) => groupKey).values()];
  const read = await inParallel(groups, GROUPS_AT_ONCE, async (ofGroup) => {
    const [first, last] = [ofGroup[0] as Place, ofGroup.at(-1) as Place];
    const span = last.sequence - first.sequence + 1;
    const entries = await ledger.read(first.key, first.sequence - 1, span);
    const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
    const found = ofGroup.map((place) => ({ place, entry: bySequence.get(place.sequence) }));
    if (found.every(({ entry }) => entry !== undefined)) return found;
    // The events of a forgotten return are erased before they expire: nothing takes their place.
    const snapshot = (await snapshots.load(first.key, [Number(first.key.group)])).get(
      Number(first.key.group),
    );
    if (snapshot === undefined || !isForgotten(snapshot)) return undefined;
    return found.filter(({ entry }) => entry !== undefined);
  });
  if (read.includes(undefined)) return 'expired';
  return read
    .flatMap((found) => found ?? [])
    .sort((a, b) => a.place.position - b.place.position)
    .map(({ place, entry }) => toEvent(place, entry as LedgerEntry));
}

function toEvent({ position, groupKey }: Place, entry: LedgerEntry): PositionedEvent {
  if ('event' in entry) return { position, event: entry.event };
  throw new UnreadableItemError(
    `The event ${groupKey}_${entry.sequence} at position ${position} can't be read: ${entry.undecodable}`,
  );
}
