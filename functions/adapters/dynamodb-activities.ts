// The activity of each source, for the console: which groups changed last, and how many events each minute had. One item
// beside its state, `activity/<source>`. Deflated (`b`), that of a busy source fits in one write unit.
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { type StoredItem, storedBytes, storedText } from './attribute-values.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import type { Connection, TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readReplaceable } from './stored-format.ts';

const number = z.int();

const activity = z.object({
  /** The events of the last hour's minutes that had any, latest first. */
  minutes: z.array(z.object({ from: number, events: number })),
  /** The groups that changed last, latest first, each with the number of its last event. */
  recent: z.array(
    z.object({ group: number.or(z.enum(['feed', 'read'])), sequence: number, savedAt: number }),
  ),
});

/** Times are of the unit of Instant. */
export type Activity = z.infer<typeof activity>;
export type RecentGroup = Activity['recent'][number];

export interface Activities {
  /** Undefined before the first event, and for an item that can't be read. */
  load(source: string): Promise<Activity | undefined>;
  save(source: string, activity: Activity): Promise<void>;
}

const FORMAT = 1;

export function createDynamoDbActivities({
  client,
  tables,
}: Omit<TableAccess<'sources'>, 'clock'>): Activities {
  return {
    async load(source) {
      const item = await readItem(client, tables.sources, keyOf(source));
      return item && fromActivityItem(item);
    },
    async save(source, activity) {
      const Item = toActivityItem(source, activity);
      await client.send(new PutItemCommand({ TableName: tables.sources, Item }));
    },
  };
}

/** The activities of many sources, by name; without those of which nothing is known. */
export async function readActivities(
  connection: Connection,
  table: string,
  sources: readonly string[],
): Promise<ReadonlyMap<string, Activity>> {
  const items = await readBatch(connection, table, sources.map(activityKey));
  const known = new Map(items.map((item) => [storedText.parse(item.k), fromActivityItem(item)]));
  return new Map(
    sources.flatMap((source) => {
      const found = known.get(activityKey(source));
      return found === undefined ? [] : [[source, found] as const];
    }),
  );
}

function activityKey(source: string): string {
  return `activity/${source}`;
}

function keyOf(source: string) {
  return { k: { S: activityKey(source) } };
}

export function toActivityItem(source: string, activity: Activity): StoredItem {
  return { ...keyOf(source), ...formatAttribute(FORMAT), b: { B: encodeBody(activity) } };
}

/** @returns undefined for an item that can't be read: the next write replaces it */
export function fromActivityItem(item: StoredItem): Activity | undefined {
  return readReplaceable(item, { [FORMAT]: ({ b }) => activity.parse(decodeBody(storedBytes.parse(b))) });
}
