// Tells listeners which groups got events: after a commit of this process at once, and of another process soon.
import type { GroupKey } from '../../shared/ports.ts';
import type { Connection, Sql } from './connection.ts';
import { newestPosition, readNews } from './ledger.ts';
import type { Value } from './sqlite.ts';

/** How often other processes' commits are looked for; a look takes some microseconds. */
const LOOK_EVERY_MS = 250;

/** What was committed. */
export interface Commit {
  /** The groups that got events, each with the number of its first new one. */
  readonly groups: readonly { readonly key: GroupKey; readonly first: number }[];
  /** Whether another process has written: it may have changed more than groups. */
  readonly isForeign: boolean;
}

type Listener = (commit: Commit) => void;

export interface News {
  /** Reports the events since the last look. */
  look(): void;
  onCommit(listener: Listener): () => void;
  close(): void;
}

/** Changes when another process commits. */
function readVersion(sql: Sql): Value | undefined {
  return sql.get('PRAGMA data_version')?.data_version;
}

export function createNews(connection: Connection): News {
  const listeners = new Set<Listener>();
  let timer: NodeJS.Timeout | undefined;
  let position: number | undefined;
  let version: Value | undefined;

  function look(isForeign: boolean): void {
    if (listeners.size === 0) return;
    const reading = connection.read((sql) => {
      if (position === undefined) return [];
      const news = readNews(sql, position);
      position = news.position;
      return news.groups;
    });
    // A failure here shows at the next write as well.
    const report = (groups: Commit['groups']) => {
      if (groups.length > 0 || isForeign) for (const listener of listeners) listener({ groups, isForeign });
    };
    reading.then(report, () => {});
  }

  function lookForOthers(): void {
    connection.read(readVersion).then(
      (now) => {
        if (now !== version) look(true);
        version = now;
      },
      () => {},
    );
  }

  function start(): void {
    timer = setInterval(lookForOthers, LOOK_EVERY_MS).unref();
    const reading = connection.read((sql) => {
      position ??= newestPosition(sql);
      version ??= readVersion(sql);
    });
    reading.catch(() => {});
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    look: () => look(false),
    onCommit(listener) {
      listeners.add(listener);
      if (timer === undefined) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}
