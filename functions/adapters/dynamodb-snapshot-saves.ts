// Writes snapshots. With events: one transaction, sent with a token made from its content, so that a retry after a lost
// answer gets the first answer. Without events: one by one, at half the price. A failed condition may come from a save
// that took effect unnoticed, so the stored item is compared before the outcome counts as a conflict.
import { createHash } from 'node:crypto';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../shared/in-parallel.ts';
import type { GroupKey, Save, SaveResult } from '../../shared/ports.ts';
import { checkSave } from '../../shared/recording/check-save.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { TooLargeToStoreError } from '../../shared/recording/store-errors.ts';
import { itemBytes, MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES, type StoredItem } from './attribute-values.ts';
import { insertBatch } from './dynamodb-batch-insert.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { type Condition, IF_ABSENT, ifVersion, putIf, readItem } from './dynamodb-conditional-put.ts';
import { writeTogether } from './dynamodb-transaction.ts';
import { expiry, toLedgerItems } from './ledger-item.ts';
import { type SourceGeneration, toSnapshotItem } from './snapshot-item.ts';
import { isSameBody } from './stored-body.ts';

export type SnapshotStoreOptions = TableAccess<'snapshots' | 'ledger'>;

/** A snapshot on its way into the table. */
interface SnapshotWrite {
  readonly key: string;
  readonly item: StoredItem;
  readonly expectedVersion: number;
}

/** Puts under way at once if saves can't be batched. */
const PUTS_AT_ONCE = 16;

/** See {@link SnapshotStore.save}. */
export async function saveSnapshot(
  options: SnapshotStoreOptions,
  key: GroupKey,
  save: Save,
): Promise<SaveResult> {
  const write = prepare(key, save);
  if (save.events.length === 0) return putSnapshot(options, write);
  const { client, tables } = options;
  const events = toLedgerItems(key, save.events, expiry(options.clock.now()));
  checkSize(save.snapshot.groupId, [write.item, ...events]);
  const writes = [
    put(tables.snapshots, write.item, ifVersion(write.expectedVersion)),
    ...events.map((event) => put(tables.ledger, event, IF_ABSENT)),
  ];
  const failed = await writeTogether(options, writes, tokenFor(writes));
  if (failed === undefined) return 'saved';
  if (!failed.has(0)) throw new Error(describeMismatch(write));
  return resultByStored(
    write,
    failed.get(0) ?? (await readItem(client, tables.snapshots, { k: { S: write.key } })),
  );
}

/** See {@link SnapshotStore.saveAll}. New groups are batched; known ones come rarely without events. */
export async function saveAllSnapshots(
  options: SnapshotStoreOptions,
  source: SourceGeneration,
  saves: readonly Omit<Save, 'events'>[],
): Promise<SaveResult[]> {
  const writes = saves.map((save) =>
    prepare({ ...source, group: save.snapshot.groupId }, { ...save, events: [] }),
  );
  const inserted = await insertNew(
    options,
    writes.filter((write) => write.expectedVersion === 0),
  );
  return inParallel(
    writes,
    PUTS_AT_ONCE,
    async (write) => inserted.get(write) ?? putSnapshot(options, write),
  );
}

async function insertNew(
  options: SnapshotStoreOptions,
  writes: readonly SnapshotWrite[],
): Promise<Map<SnapshotWrite, SaveResult>> {
  const table = options.tables.snapshots;
  const inserted = await insertBatch(
    options,
    table,
    writes.map((write) => write.item),
  );
  const taken = writes.filter((_, at) => inserted[at] !== true).map((write) => write.key);
  const stored = await readBatch(options, table, taken);
  const storedByKey = new Map(stored.map((item) => [item.k?.S, item]));
  return new Map(
    writes.map((write, at) => [
      write,
      inserted[at] === true ? 'saved' : resultByStored(write, storedByKey.get(write.key)),
    ]),
  );
}

async function putSnapshot(options: SnapshotStoreOptions, write: SnapshotWrite) {
  const outcome = await putIf(options, {
    table: options.tables.snapshots,
    key: ['k'],
    item: write.item,
    condition: ifVersion(write.expectedVersion),
  });
  return outcome.written ? 'saved' : resultByStored(write, outcome.stored);
}

function prepare(key: GroupKey, save: Save): SnapshotWrite {
  checkSave(key, save);
  const item = toSnapshotItem(key, save.snapshot);
  checkSize(save.snapshot.groupId, [item]);
  return { key: formatGroupKey(key), item, expectedVersion: save.expectedVersion };
}

function checkSize(groupId: number, items: readonly StoredItem[]): void {
  const sizes = items.map(itemBytes);
  const largest = Math.max(...sizes);
  if (largest > MAX_ITEM_BYTES) throw new TooLargeToStoreError(groupId, largest);
  const sum = sizes.reduce((total, size) => total + size, 0);
  if (sum > MAX_TRANSACTION_BYTES) throw new TooLargeToStoreError(groupId, sum);
}

function put(table: string, item: StoredItem, condition: Condition): TransactWriteItem {
  return {
    Put: { TableName: table, Item: item, ...condition, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  };
}

/** `saved` if this very snapshot is stored: then an earlier try of this save wrote it, and its events. */
function resultByStored({ item }: SnapshotWrite, stored: StoredItem | undefined): SaveResult {
  return stored?.n?.N === item.n?.N && isSameBody(stored?.b?.B, item.b?.B) ? 'saved' : 'conflict';
}

/** A token of the content. The conditions need not be in it: the snapshot's version identifies the save. */
function tokenFor(writes: readonly TransactWriteItem[]): string {
  const hash = createHash('sha256');
  for (const { Put } of writes) {
    hash.update(JSON.stringify(Put?.TableName));
    for (const [name, value] of Object.entries(Put?.Item ?? {})) {
      hash.update(JSON.stringify([name, value.S, value.N, value.B?.length]));
      if (value.B !== undefined) hash.update(value.B);
    }
  }
  return hash.digest('base64url').slice(0, 36);
}

function describeMismatch({ key, expectedVersion }: SnapshotWrite): string {
  return (
    `The ledger holds an event of group ${key} that its snapshot, at version ${expectedVersion}, does not know of. ` +
    'One of the two tables was replaced, for instance by a restored backup: begin a new generation of the source ' +
    'with "npx --no returns-feed sources restore".'
  );
}
