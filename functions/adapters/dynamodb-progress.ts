// What became of the ticks, for the dispatcher, in the table of the sources' states: one item for each shard of a minute,
// which the minute after the next overwrites (`progress/<minute modulo 2>/<shard>`), and one for the last long tick of a
// source (`progress/long/<source>`). So a quiet source costs a twentieth of a write a minute.
import * as z from 'zod';
import { type Note, note } from '../../shared/dispatching/known-source.ts';
import { numberValue, type StoredItem, storedBytes, storedNumber } from './attribute-values.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { putIf } from './dynamodb-conditional-put.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readReplaceable } from './stored-format.ts';

/** A minute since the epoch, and how many shards it had. */
export interface DispatchedMinute {
  readonly minute: number;
  readonly shards: number;
}

export interface Progress {
  /** Notes what became of a shard's sources, unless a later minute has taken its place. */
  note(shard: { readonly minute: number; readonly shard: number }, notes: Sources): Promise<void>;
  /** Notes what became of a long tick, unless that of a later one is noted. */
  noteLong(source: string, note: Note): Promise<void>;
  /** The notes of each source in these minutes, the newest last. Strongly consistent. */
  readAll(minutes: readonly DispatchedMinute[]): Promise<Map<string, Note[]>>;
  /** The notes of the last long ticks of sources that have one. Strongly consistent. */
  readLong(sources: readonly string[]): Promise<Map<string, Note>>;
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

    async readAll(minutes) {
      const keys = minutes.flatMap(({ minute, shards }) =>
        Array.from({ length: shards }, (_, shard) => keyOf(minute, shard)),
      );
      const items = (await readBatch(options, table, [...new Set(keys)])).flatMap(readItem);
      const notes = new Map<string, Note[]>();
      for (const { at, notes: some } of items.toSorted((a, b) => a.at - b.at)) {
        // Left by a minute of more shards.
        if (!minutes.some(({ minute }) => minute === at)) continue;
        for (const [source, found] of Object.entries(some))
          notes.set(source, [...(notes.get(source) ?? []), found]);
      }
      return notes;
    },

    async readLong(sources) {
      const keys = sources.map((source) => LONG + source);
      const items = (await readBatch(options, table, keys)).flatMap(readItem);
      return new Map(items.flatMap(({ notes }) => Object.entries(notes)));
    },
  };
}

function keyOf(minute: number, shard: number): string {
  return `progress/${minute % 2}/${shard}`;
}

const format1 = z.object({ n: storedNumber, b: storedBytes });
const body = z.record(z.string(), note);

/** @returns an empty list for an item that can't be read: otherwise nothing would be polled that replaces it */
function readItem(item: StoredItem) {
  const read = readReplaceable(item, {
    [FORMAT](stored) {
      const { n: at, b } = format1.parse(stored);
      return { at, notes: body.parse(decodeBody(b)) };
    },
  });
  return read === undefined ? [] : [read];
}
