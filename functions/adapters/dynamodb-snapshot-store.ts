// The snapshots of all groups in one table, read by key, and by creation time through a sparse index.
import * as z from 'zod';
import { TABLES } from '../../shared/deployment/tables.ts';
import type { Instant } from '../../shared/instant.ts';
import { PAGE_LIMIT } from '../../shared/limits.ts';
import type { KnownGroup, SnapshotStore } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, storedNumber } from './attribute-values.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import { queryItems } from './dynamodb-pages.ts';
import { type SnapshotStoreOptions, saveAllSnapshots, saveSnapshot } from './dynamodb-snapshot-saves.ts';
import { fromSnapshotItem, groupIdOfKey, indexPartition, storedDigest } from './snapshot-item.ts';

export function createDynamoDbSnapshotStore(options: SnapshotStoreOptions): SnapshotStore {
  return {
    async load(source, groups) {
      const keys = [...new Set(groups)].map((group) => formatGroupKey({ ...source, group }));
      const items = await readBatch(options, options.tables.snapshots, keys);
      const snapshots = items.map(fromSnapshotItem);
      return new Map(snapshots.map((snapshot) => [snapshot.groupId, snapshot]));
    },
    save: (key, save) => saveSnapshot(options, key, save),
    saveAll: (source, saves) => saveAllSnapshots(options, source, saves),
    knownCreatedBetween: (source, from, to) => queryCreated(options, indexPartition(source), from, to),
  };
}

async function* queryCreated(
  { client, tables }: SnapshotStoreOptions,
  partition: string,
  from: Instant,
  to: Instant,
): AsyncGenerator<KnownGroup> {
  const { index } = TABLES.snapshots;
  const items = queryItems(client, {
    TableName: tables.snapshots,
    IndexName: index.name,
    // A walk takes the first groups of a range, a page's worth: without a limit DynamoDB would read 1 MB for each piece.
    Limit: PAGE_LIMIT,
    KeyConditionExpression: `${index.partitionKey.name} = :i AND ${index.sortKey.name} BETWEEN :from AND :to`,
    ExpressionAttributeValues: {
      ':i': { S: partition },
      ':from': numberValue(storable(from)),
      ':to': numberValue(storable(to)),
    },
  });
  for await (const item of items) {
    const { k: groupId, c: createdAt, g: digest } = indexItem.parse(item);
    yield { groupId, createdAt, digest };
  }
}

/** DynamoDB has no infinity; stamps go from the year 0 to the year 9999. */
function storable(instant: Instant): number {
  return Math.max(-LARGEST_INSTANT, Math.min(LARGEST_INSTANT, instant));
}

const LARGEST_INSTANT = 1e18;

const indexItem = z.object({ k: groupIdOfKey, c: storedNumber, g: storedDigest });
