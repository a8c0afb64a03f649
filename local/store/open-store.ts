// The stores of one machine: one SQLite file, feed.db in the data directory, behind the ports of the domain. Read this
// first. schema.ts has the tables, connection.ts how writes are grouped, continuity.ts how a lost or copied database is
// noticed; the other files have one port each. Other processes may open the same directory at any time; only `watch` is
// alone (watch-lock.ts).
import { existsSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Activity } from '../../functions/adapters/dynamodb-activities.ts';
import type { BehindGroup, Mark } from '../../functions/adapters/dynamodb-behind.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { MINUTE } from '../../shared/instant.ts';
import type {
  Clock,
  GroupKey,
  Ledger,
  LedgerEraser,
  Searches,
  SnapshotStore,
  SourceStates,
} from '../../shared/ports.ts';
import type { Positions } from '../../shared/pulling/positions.ts';
import type { Readers } from '../../shared/pulling/reader.ts';
import type { CountedPositions } from '../../shared/pulling/unread.ts';
import type { EndpointStates, WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import {
  BUSY_MS,
  type Connection,
  createConnection,
  createSql,
  type Patience,
  type Sql,
  whileBusy,
} from './connection.ts';
import { checkContinuity, compareContinuity, readIdentity, refuseOtherWal } from './continuity.ts';
import {
  checkReadable,
  codeOf,
  type DirectoryFiles,
  filesOf,
  prepareDirectory,
  prepareFile,
  readableFile,
} from './data-directory.ts';
import {
  createDocuments,
  createEndpointStates,
  createForwards,
  createReaders,
  createSearches,
  createSourceStates,
  createStarts,
} from './documents.ts';
import { createLedger, createLedgerEraser, deleteExpired, listFormerly, readActivities } from './ledger.ts';
import { createMarks, listBehind, readMark, removeDestination } from './marks.ts';
import { type Commit, createNews, type News } from './news.ts';
import { createPositions } from './positions.ts';
import { createTables, hasTables } from './schema.ts';
import { createSnapshotStore, listMentioning, listSnapshots, type StoredSnapshot } from './snapshots.ts';
import { explainStoreError, FullDiskError, StoreError } from './store-error.ts';
import { createUnsentCounter, type Unsent, type UnsentAt } from './unsent.ts';
import type { WatchLock } from './watch-lock.ts';

export interface LocalStore {
  readonly snapshots: SnapshotStore;
  readonly ledger: Ledger;
  readonly eraser: LedgerEraser;
  readonly marks: WebhookMarks;
  readonly endpoints: EndpointStates;
  readonly states: SourceStates;
  readonly searches: Searches;
  /** What changed last, read from the ledger. */
  activitiesOf(sources: readonly string[]): Promise<ReadonlyMap<string, Activity>>;
  /** Messages for operators about the directory: rights that were narrowed, a database that was replaced. */
  readonly notices: readonly string[];
  /** The names of the sources that have a state, sorted. */
  sources(): Promise<string[]>;
  /** All snapshots of a source, a part at a time. */
  allSnapshots(source: string): AsyncIterable<readonly StoredSnapshot[]>;
  /** The ids of groups whose state has a text, the latest creation first, at most `most`; removed ones are left out. */
  candidates(source: Pick<GroupKey, 'source' | 'generation'>, text: string, most: number): Promise<number[]>;
  /** The ids of groups with an event that has a tracking number, the latest event first. */
  formerly(source: Pick<GroupKey, 'source' | 'generation'>, trackingNumber: string): Promise<number[]>;
  /** A mark with its notes. */
  mark(destination: string, key: GroupKey): Promise<Mark>;
  /** Deletes all marks of a destination, and the state of its endpoint. */
  removeDestination(destination: string): Promise<void>;
  /** The returns and events that a destination lacks. */
  unsent(at: UnsentAt): Promise<Unsent>;
  /** The groups that are noted as behind for a destination, by their keys; only those of a source if one is named. */
  behind(destination: string, source?: string): AsyncIterable<BehindGroup>;
  /** The URLs that the last `watch` forwards to. */
  readonly forwards: ReturnType<typeof createForwards>;
  readonly starts: ReturnType<typeof createStarts>;
  readonly readers: Readers;
  readonly positions: Positions & CountedPositions;
  /**
   * Calls the listener after each commit of this process that added events, and within 250 ms after any of another process.
   *
   * @returns ends it
   */
  onCommit(listener: (commit: Commit) => void): () => void;
  /** Writes a whole and consistent copy to a new file, also while other processes write. @throws if the file exists */
  backup(file: string): Promise<void>;
  /** Waits for the writes under way. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** @default the time of this machine */
  readonly clock?: Clock;
  /** The lock without which nothing may be saved. @default none */
  readonly lock?: Pick<WatchLock, 'check'> | undefined;
  /** Called with a message for operators while another program holds the database. */
  readonly onWait?: ((message: string) => void) | undefined;
}

/** Whether the directory holds a feed, or what is left of one: {@link openStore} would not create it. */
export function holdsFeed(directory: string): boolean {
  const { database, seen, old } = filesOf(directory);
  return [database, seen, old].some(existsSync);
}

/**
 * Opens the stores of a data directory, and creates what is missing.
 *
 * @param directory a private temporary one, removed by `close`, if undefined
 * @throws StoreError, with the way out, if the directory can't be used
 */
export async function openStore(
  directory: string | undefined,
  { clock = createSystemClock(), lock, onWait }: StoreOptions = {},
): Promise<LocalStore> {
  const path = directory ?? (await mkdtemp(join(tmpdir(), 'returns-feed-')));
  const remove = async () => {
    if (directory === undefined) await rm(path, { recursive: true, force: true });
  };
  const files = filesOf(path);
  const explain = (error: unknown) => explainStoreError(error, files.database);
  const patience: Patience = { clock, onWait: () => onWait?.(describeWait(files.database)) };
  try {
    const { db, continuity, notices } = await openFiles(path, files, directory !== undefined, patience);
    const expire = createExpiry(clock);
    const connection = createConnection(db, {
      ...patience,
      beforeCommit(sql) {
        expire(sql);
        continuity.count(sql);
        lock?.check();
      },
      afterCommit() {
        continuity.note();
        news.look();
      },
      explain,
    });
    const news = createNews(connection);
    const close = async () => {
      news.close();
      await connection.close();
      continuity.close();
      await remove();
    };
    const identity = () => connection.read(readIdentity);
    return { ...createPorts(connection, clock, identity, news), onCommit: news.onCommit, notices, close };
  } catch (error) {
    await remove();
    throw explain(error);
  }
}

function describeWait(database: string): string {
  return (
    `Another program holds ${database}: nothing can be saved meanwhile. It is waited for, five minutes at most. End ` +
    'the transaction that it left open.'
  );
}

function createPorts(
  connection: Connection,
  clock: Pick<Clock, 'now'>,
  identity: SourceStates['identity'],
  news: Pick<News, 'onCommit'>,
) {
  const documents = createDocuments(connection);
  const states = createSourceStates(documents, identity);
  return {
    snapshots: createSnapshotStore(connection, clock),
    ledger: createLedger(connection, clock),
    eraser: createLedgerEraser(connection),
    marks: createMarks(connection),
    endpoints: createEndpointStates(documents),
    states,
    searches: createSearches(documents),
    activitiesOf: (sources) => readActivities(connection, sources),
    sources: states.list,
    allSnapshots: (source) => listSnapshots(connection, source),
    candidates: (source, text, most) => listMentioning(connection, source, text, most),
    formerly: (source, trackingNumber) => listFormerly(connection, source, trackingNumber),
    mark: (destination, key) => readMark(connection, destination, key),
    removeDestination: (destination) => removeDestination(connection, destination),
    unsent: createUnsentCounter(connection),
    behind: (destination, source) => listBehind(connection, destination, source),
    forwards: createForwards(documents),
    readers: createReaders(documents),
    positions: createPositions(connection, identity, news),
    starts: createStarts(documents),
    backup: (file) => backUp(connection, file),
  } satisfies Partial<LocalStore>;
}

/**
 * Opens the stores of a data directory to read them: nothing is created, and the rights of its files stay. Any write fails.
 *
 * @throws StoreError, with the way out, if the directory can't be read
 */
export async function openStoreToRead(
  directory: string,
  { clock = createSystemClock() }: StoreOptions = {},
): Promise<LocalStore> {
  const files = filesOf(directory);
  const explain = (error: unknown) => explainStoreError(error, files.database);
  try {
    await checkReadable(files.database);
    refuseOtherWal(files);
    const db = new DatabaseSync(await readableFile(files.database), { timeout: BUSY_MS, readOnly: true });
    const connection = createConnection(db, {
      ...{ clock, explain },
      beforeCommit() {},
      afterCommit() {},
      onWait() {},
    });
    const { identity, notices } = await connection
      .read((sql) => {
        if (!hasTables(sql, files))
          throw new StoreError(`${files.database} is empty: no "watch" ever ran with it.`);
        return compareContinuity(sql, files);
      })
      .catch((error: unknown) => {
        db.close();
        throw error;
      });
    const news = createNews(connection);
    const close = async () => {
      news.close();
      await connection.close();
    };
    const ports = createPorts(connection, clock, async () => identity, news);
    return { ...ports, onCommit: news.onCommit, notices, close };
  } catch (error) {
    throw explain(error);
  }
}

async function openFiles(directory: string, files: DirectoryFiles, isKept: boolean, patience: Patience) {
  const notices = isKept ? await prepareDirectory(directory) : [];
  if (existsSync(files.old) && !existsSync(files.database))
    throw new StoreError(
      `${directory} has the state of an older release (tables.db), which this one does not read. Name an empty ` +
        'directory: the feed begins anew there.',
    );
  notices.push(...(await prepareFile(files.database)));
  refuseOtherWal(files);
  const db = new DatabaseSync(files.database, { timeout: BUSY_MS });
  try {
    const sql = createSql(db);
    await whileBusy(patience, () => createTables(sql, files));
    // Alone, SQLite needs no memory shared with others, which not every file system of a temporary directory offers.
    if (!isKept) sql.exec('PRAGMA locking_mode = EXCLUSIVE');
    await whileBusy(patience, () => sql.exec('PRAGMA journal_mode = WAL'));
    // A commit waits for the disk: after a power cut, no number of a published event is free again.
    sql.exec(`PRAGMA synchronous = ${isKept ? 'FULL' : 'OFF'}`);
    // What was forgotten or has expired is overwritten.
    sql.exec(`PRAGMA secure_delete = ON; PRAGMA journal_size_limit = ${MAX_WAL_BYTES}`);
    const continuity = await whileBusy(patience, () => checkContinuity(sql, files));
    return { db, continuity, notices: [...notices, ...continuity.notices] };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What a WAL that grew keeps of the disk. */
const MAX_WAL_BYTES = 16 * 1024 * 1024;

const EXPIRE_EVERY = MINUTE;

/** Deletes expired events once a minute, in transactions that write anyway. */
function createExpiry(clock: Pick<Clock, 'now'>): (sql: Sql) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (sql) => {
    const now = clock.now();
    // A clock that was set back must not stop it.
    if (Math.abs(now - lastAt) < EXPIRE_EVERY) return;
    lastAt = deleteExpired(sql, now) ? Number.NEGATIVE_INFINITY : now;
  };
}

async function backUp(connection: Connection, file: string): Promise<void> {
  const created = await open(file, 'wx', 0o600).catch((cause: unknown) => {
    const reason = codeOf(cause) === 'EEXIST' ? 'it exists' : (cause as Error).message;
    throw new StoreError(`The backup can't be written to ${file}: ${reason}.`, { cause });
  });
  try {
    await connection.read((sql) => sql.run('VACUUM INTO ?', file));
    await created.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error instanceof FullDiskError ? new StoreError(`The disk of the backup ${file} is full.`) : error;
  } finally {
    await created.close();
  }
}
