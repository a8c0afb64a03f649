// The activity of each source, for the console: which groups changed last, and how many events each minute had. One item
// beside its state, `activity/<source>`. `b` holds it deflated, with moments as distances from the newest one.
import { DeleteItemCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { OwnGroup } from '../../shared/contract/event-id.ts';
import { type Instant, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { type StoredItem, storedBytes } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

export interface Activity {
  /** The events of the last hour's minutes that had any, latest first. */
  readonly minutes: readonly { readonly from: Instant; readonly events: number }[];
  /** The groups that changed last, latest first. */
  readonly recent: readonly RecentGroup[];
}

export interface RecentGroup {
  readonly group: number | OwnGroup;
  /** The number of its last event. */
  readonly sequence: number;
  readonly savedAt: Instant;
}

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

/** Deletes the activity of a source; does nothing without one. */
export async function deleteActivity(client: DynamoDBClient, table: string, source: string): Promise<void> {
  await client.send(new DeleteItemCommand({ TableName: table, Key: keyOf(source) }));
}

function keyOf(source: string) {
  return { k: { S: `activity/${source}` } };
}

export function toActivityItem(source: string, activity: Activity): StoredItem {
  return { ...keyOf(source), ...formatAttribute(FORMAT), b: { B: encodeBody(toBody(activity)) } };
}

/** @returns undefined for an item that can't be read: the next write replaces it */
export function fromActivityItem(item: StoredItem): Activity | undefined {
  try {
    return readStored(item, { [FORMAT]: ({ b }) => format1.parse(decodeBody(storedBytes.parse(b))) });
  } catch (error) {
    if (error instanceof UnreadableItemError) return undefined;
    throw error;
  }
}

/** Each minute as minutes before the newest one, each save as milliseconds before the newest one. */
function toBody({ minutes, recent }: Activity): z.input<typeof format1> {
  const minute = (minutes[0]?.from ?? 0) / MINUTE;
  const savedMs = Math.floor((recent[0]?.savedAt ?? 0) / MILLISECOND);
  return {
    minute,
    minutes: minutes.map(({ from, events }) => [minute - from / MINUTE, events]),
    savedMs,
    recent: recent.map(({ group, sequence, savedAt }) => [
      group,
      sequence,
      savedMs - Math.floor(savedAt / MILLISECOND),
    ]),
  };
}

const number = z.int();

const format1 = z
  .object({
    minute: number,
    minutes: z.array(z.tuple([number, number])),
    savedMs: number,
    recent: z.array(z.tuple([z.union([number, z.enum(['feed', 'read'])]), number, number])),
  })
  .transform(
    ({ minute, minutes, savedMs, recent }): Activity => ({
      minutes: minutes.map(([before, events]) => ({ from: (minute - before) * MINUTE, events })),
      recent: recent.map(([group, sequence, beforeMs]) => ({
        group,
        sequence,
        savedAt: (savedMs - beforeMs) * MILLISECOND,
      })),
    }),
  );
