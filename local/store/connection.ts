// One connection to the database. Writes that wait are grouped into one transaction, because each commit waits for the
// disk. A call that meets another process's transaction waits a moment inside SQLite, which blocks this process, and is
// then tried again between other work.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MINUTE, SECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import { type Row, resultCode, type Value } from './sqlite.ts';

/** Runs SQL; each statement is compiled once. */
export interface Sql {
  run(sql: string, ...values: Value[]): number;
  get(sql: string, ...values: Value[]): Row | undefined;
  all(sql: string, ...values: Value[]): Row[];
  exec(sql: string): void;
}

export interface Connection {
  /** Runs synchronous reads. */
  read<Result>(work: (sql: Sql) => Result): Promise<Result>;
  /**
   * Runs synchronous work in a transaction, which it may share with other writes. If the work throws, its writes are
   * undone. It may be called again after a shared transaction failed.
   */
  write<Result>(work: (sql: Sql) => Result): Promise<Result>;
  /** Waits for the writes under way. */
  close(): Promise<void>;
}

/** How a call waits while another process holds the database. */
export interface Patience {
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  /** Called once for each wait that lasts some seconds. */
  readonly onWait: () => void;
}

export interface ConnectionOptions extends Patience {
  /** Called in each transaction, after its work. */
  readonly beforeCommit: (sql: Sql) => void;
  /** Called after each commit. */
  readonly afterCommit: () => void;
  /** Turns an error of SQLite into one that says what to do. */
  readonly explain: (error: unknown) => unknown;
}

/** How long a call blocks this process at most. */
export const BUSY_MS = 100;
const RETRY_EVERY_MS = 20;
/** Other processes' transactions take milliseconds. Another program's may be left open, until somebody ends it. */
const SAY_AFTER = 5 * SECOND;
const MAX_BUSY = 5 * MINUTE;

const [BUSY, CONSTRAINT] = [5, 19];

interface Waiting {
  readonly work: (sql: Sql) => unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export function createSql(db: DatabaseSync): Sql {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    get: (sql, ...values) => prepared(sql).get(...values) as Row | undefined,
    all: (sql, ...values) => prepared(sql).all(...values) as Row[],
    exec: (sql) => db.exec(sql),
  };
}

/** Tries again while another process holds the database. */
export async function whileBusy<Result>({ clock, onWait }: Patience, work: () => Result): Promise<Result> {
  const began = clock.elapsed();
  let isSaid = false;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const waited = clock.elapsed() - began;
      if (resultCode(error) !== BUSY || waited > MAX_BUSY) throw error;
      if (waited > SAY_AFTER && !isSaid) onWait();
      isSaid ||= waited > SAY_AFTER;
    }
    await clock.sleep(RETRY_EVERY_MS * (0.5 + Math.random()));
  }
}

/**
 * Moves the WAL's content into the database, as far as no other process needs it, so that what was overwritten there is
 * nowhere else. Otherwise the last connection does that when it is closed.
 */
export function emptyWal(sql: Sql): void {
  sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

export function createConnection(db: DatabaseSync, options: ConnectionOptions): Connection {
  const { beforeCommit, afterCommit, explain } = options;
  const sql = createSql(db);
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      // Saves of the same moment join this transaction.
      await new Promise((resolve) => setImmediate(resolve));
      const group = waiting;
      waiting = [];
      // A failure of one must not fail the others. Savepoints would double the work of all.
      if (!(await commit(group))) for (const each of group) await commit([each]);
    }
    writing = undefined;
  }

  /** @returns false if several were undone because one of them failed */
  async function commit(group: readonly Waiting[]): Promise<boolean> {
    try {
      const results = await whileBusy(options, () => inTransaction(group));
      for (const [at, { resolve }] of group.entries()) resolve(results[at]);
    } catch (error) {
      const code = resultCode(error);
      // A full disk, for instance, concerns all of them.
      const isOfOne = code === undefined || code === CONSTRAINT;
      if (isOfOne && group.length > 1) return false;
      for (const { reject } of group) reject(explain(error));
      return true;
    }
    afterCommit();
    return true;
  }

  function inTransaction(group: readonly Waiting[]): unknown[] {
    sql.run('BEGIN IMMEDIATE');
    try {
      const results = group.map(({ work }) => work(sql));
      beforeCommit(sql);
      sql.run('COMMIT');
      return results;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  function rollBack(): void {
    try {
      sql.run('ROLLBACK');
    } catch {
      // SQLite has rolled back on its own.
    }
  }

  return {
    async read(work) {
      try {
        return await whileBusy(options, () => work(sql));
      } catch (error) {
        throw explain(error);
      }
    },
    write<Result>(work: (sql: Sql) => Result) {
      if (isClosed) return Promise.reject(new Error('The store is closed.'));
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as Waiting['resolve'], reject });
        writing ??= writeAll();
      });
    },
    async close() {
      isClosed = true;
      await writing;
      db.close();
    },
  };
}
