// The activity of each source, one item beside its state: `activity/<source>`. `b` holds it deflated, with moments as
// distances from the newest one, because a write of up to 2 KB costs two units.
import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { Activities } from '../../shared/ports.ts';
import type { Activity } from '../../shared/reporting/activity.ts';
import { itemBytes, type StoredItem, storedBytes } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

export interface DynamoDbActivitiesOptions extends Omit<TableAccess<'sources'>, 'clock'> {
  /** Time limit of a call, with all its tries. @default 1000 */
  readonly timeoutMs?: number;
}

const FORMAT = 1;
const MAX_BYTES = 2 * 1024;
/** A tick waits for the write of its activity, and must not wait for long. */
const TIMEOUT_MS = 1_000;

export function createDynamoDbActivities({
  client,
  tables,
  timeoutMs = TIMEOUT_MS,
}: DynamoDbActivitiesOptions): Activities {
  const soon = () => ({ abortSignal: AbortSignal.timeout(timeoutMs) });
  return {
    async load(source) {
      const get = { TableName: tables.sources, Key: keyOf(source), ConsistentRead: true };
      const { Item } = await client.send(new GetItemCommand(get), soon());
      return Item && fromActivityItem(Item);
    },
    async save(source, activity) {
      const put = { TableName: tables.sources, Item: toActivityItem(source, activity) };
      await client.send(new PutItemCommand(put), soon());
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

/** Of at most 2 KB: an activity with unusually large numbers is stored without its oldest part. */
export function toActivityItem(source: string, activity: Activity): StoredItem {
  const body = { B: encodeBody(toBody(activity)) };
  const item = { ...keyOf(source), ...formatAttribute(FORMAT), b: body };
  return itemBytes(item) <= MAX_BYTES ? item : toActivityItem(source, withoutOldest(activity));
}

function withoutOldest({ minutes, recent }: Activity): Activity {
  return { minutes: minutes.slice(0, -3), recent: recent.slice(0, -3) };
}

/** @returns undefined for an item that can't be read: the next write replaces it */
export function fromActivityItem(item: StoredItem): Activity | undefined {
  try {
    return readStored(item, { [FORMAT]: ({ b }) => format1.parse(decodeBody(storedBytes.parse(b))) });
  } catch (error) {
    if (error instanceof UnreadableItemError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

/** Each minute as minutes before the newest one, each save as milliseconds before the newest one. */
function toBody({ minutes, recent }: Activity): z.input<typeof format1> {
  const minute = (minutes[0]?.from ?? 0) / MINUTE;
  const savedMs = (recent[0]?.savedAt ?? 0) / MILLISECOND;
  return {
    minute,
    minutes: minutes.map(({ from, requests, events, delayed, delaySumMs, longestDelayMs }) => [
      minute - from / MINUTE,
      requests,
      events,
      delayed,
      delaySumMs,
      longestDelayMs,
    ]),
    savedMs,
    recent: recent.map(({ group, sequence, savedAt }) => [group, sequence, savedMs - savedAt / MILLISECOND]),
  };
}

const number = z.int();

const format1 = z
  .object({
    minute: number,
    minutes: z.array(z.tuple([number, number, number, number, number, number])),
    savedMs: number,
    recent: z.array(z.tuple([z.union([number, z.literal('feed')]), number, number])),
  })
  .transform(
    ({ minute, minutes, savedMs, recent }): Activity => ({
      minutes: minutes.map(([before, requests, events, delayed, delaySumMs, longestDelayMs]) => ({
        from: (minute - before) * MINUTE,
        requests,
        events,
        delayed,
        delaySumMs,
        longestDelayMs,
      })),
      recent: recent.map(([group, sequence, beforeMs]) => ({
        group,
        sequence,
        savedAt: (savedMs - beforeMs) * MILLISECOND,
      })),
    }),
  );
