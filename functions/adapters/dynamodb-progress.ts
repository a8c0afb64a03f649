// What became of the ticks, for the dispatcher, in the table of the sources' states: one item for each shard of a minute,
// which the minute after the next overwrites (`progress/<minute modulo 2>/<shard>`), and one for the last long tick of a
// source (`progress/long/<source>`). So a quiet source costs a twentieth of a write a minute.
import * as z from 'zod';
import { type Note, note } from '../../shared/dispatching/known-source.ts';
import { numberValue, type StoredItem, storedBytes, storedNumber, storedText } from './attribute-values.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { putIf } from './dynamodb-conditional-put.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored } from './stored-format.ts';

/** A minute since the epoch, and how many shards it had. */
export interface DispatchedMinute {
  readonly minute: number;
  readonly shards: number;
}

export interface Notes {
  /** Of quick ticks, by source; of the newest minute last. */
  readonly quick: ReadonlyMap<string, readonly Note[]>;
  /** Of the last long tick of each source. */
  readonly long: ReadonlyMap<string, Note>;
}

export interface Progress {
  /** Notes what became of a shard's sources, unless a later minute has taken its place. */
  note(shard: { readonly minute: number; readonly shard: number }, notes: Sources): Promise<void>;
  /** Notes what became of a long tick, unless that of a later one is noted. */
  noteLong(source: string, note: Note): Promise<void>;
  /** Strongly consistent. @param sources those whose long ticks are asked for */
  readAll(minutes: readonly DispatchedMinute[], sources: readonly string[]): Promise<Notes>;
}

type Sources = Readonly<Record<string, Note>>;

const FORMAT = 1;
const LONG = 'progress/long/';

export function createDynamoDbProgress(options: TableAccess<'sources'>): Progress {
  const { sources: table } = options.tables;

  /** @param at the minute or slot of the notes: a late one does not replace a newer one */
  async function put(key: string, at: number, notes: Sources): Promise<void> {
    await putIf(options, {
      ...{ table, key: ['k'] },
      item: {
        ...{ k: { S: key }, ...formatAttribute(FORMAT) },
        ...{ n: numberValue(at), b: { B: encodeBody(notes) } },
      },
      condition: {
        ConditionExpression: 'attribute_not_exists(k) OR n <= :n',
        ExpressionAttributeValues: { ':n': numberValue(at) },
      },
    });
  }

  return {
    note: ({ minute, shard }, notes) => put(keyOf(minute, shard), minute, notes),
    noteLong: (source, found) => put(LONG + source, found.slot, { [source]: found }),

    async readAll(minutes, sources) {
      const keys = minutes.flatMap(({ minute, shards }) =>
        Array.from({ length: shards }, (_, shard) => keyOf(minute, shard)),
      );
      const wanted = new Set([...keys, ...sources.map((source) => LONG + source)]);
      const items = (await readBatch(options, table, [...wanted])).map(readItem);
      const of = (minute: number) => items.filter((item) => !item.isLong && item.at === minute);
      const quick = new Map<string, Note[]>();
      for (const { minute } of minutes.toSorted((a, b) => a.minute - b.minute))
        for (const [source, found] of of(minute).flatMap(({ notes }) => Object.entries(notes)))
          quick.set(source, [...(quick.get(source) ?? []), found]);
      const long = items.filter(({ isLong }) => isLong).flatMap(({ notes }) => Object.entries(notes));
      return { quick, long: new Map(long) };
    },
  };
}

function keyOf(minute: number, shard: number): string {
  return `progress/${minute % 2}/${shard}`;
}

const format1 = z.object({ k: storedText, n: storedNumber, b: storedBytes });
const body = z.record(z.string(), note);

/** @throws UnreadableItemError */
function readItem(item: StoredItem) {
  return readStored(item, {
    [FORMAT](stored) {
      const { k, n: at, b } = format1.parse(stored);
      return { isLong: k.startsWith(LONG), at, notes: body.parse(decodeBody(b)) };
    },
  });
}
