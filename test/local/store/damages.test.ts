// What can happen to a data directory: each is noticed, in a sentence with the way out, or nothing is lost.

import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  copyFile,
  cp,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { readForwardSecret } from '../../../local/feed/forward-secret.ts';
import { sharedFileSystem } from '../../../local/store/data-directory.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { StoreError } from '../../../local/store/store-error.ts';
import { lockForWatch } from '../../../local/store/watch-lock.ts';
import { aKey, aSave } from '../../contract/sample-saves.ts';
import { inDirectory, runStore, startStore } from './run-store.ts';

const RESTORE =
  /put a backup .* in place of feed\.db, and begin a new generation .* or begin anew in an empty/;
/** Whether a process may become another user, and have a file system of its own. */
const mayBecome = succeeds(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'true']);
const mayMount = succeeds(['unshare', '-rm', 'true']);

function succeeds([file = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Fills a directory, in a process of its own: in this one, a connection may stay open for a while. */
async function fill(directory: string): Promise<string> {
  expect(await runStore('fill', directory)).toContain('closed');
  return join(directory, 'feed.db');
}

/** Leaves a WAL. */
async function saveAndKill(directory: string, mode: 'save' | 'begin' = 'save'): Promise<void> {
  const { child, lines } = startStore(mode, directory);
  for (let line = 0; line < 50; line += 1) await lines.next();
  child.kill('SIGKILL');
  for await (const _ of lines);
}

async function failureOf(directory: string): Promise<Error> {
  const failure = await openStore(directory).then(
    (store) => store.close(),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(StoreError);
  return failure as Error;
}

interface Look {
  readonly identity: string;
  readonly notices: readonly string[];
  readonly groups: number;
  readonly sources: readonly string[];
}

/** Opens the directory once. */
async function lookAt(directory: string): Promise<Look> {
  const [line = ''] = await runStore('look', directory);
  return JSON.parse(line);
}

describe('a directory is not used, and nothing begins anew in it, when its database', () => {
  test('was emptied', () =>
    inDirectory(async (directory) => {
      await truncate(await fill(directory), 0);

      for (const _ of [1, 2]) {
        const { message } = await failureOf(directory);
        expect(message).toMatch(/feed\.db is empty, but a feed was kept there\./);
        expect(message).toMatch(RESTORE);
      }
    }));

  test('was deleted', () =>
    inDirectory(async (directory) => {
      await rm(await fill(directory));

      for (const _ of [1, 2])
        expect((await failureOf(directory)).message).toMatch(
          /feed\.db is empty, but a feed was kept there\./,
        );
    }));

  test('was cut off', () =>
    inDirectory(async (directory) => {
      const file = await fill(directory);
      await truncate(file, Math.floor((await stat(file)).size / 8192) * 4096);

      const { message } = await failureOf(directory);

      expect(message).toMatch(/feed\.db is damaged\./);
      expect(message).toMatch(RESTORE);
    }));

  test('is not a database', () =>
    inDirectory(async (directory) => {
      await writeFile(join(directory, 'feed.db'), 'nothing of the kind '.repeat(500));

      expect((await failureOf(directory)).message).toMatch(
        /feed\.db is no database of a feed\. Move it away/,
      );
    }));

  test.each(['CREATE TABLE notes (text)', 'PRAGMA application_id = 7'])('is another program’s: %s', (sql) =>
    inDirectory(async (directory) => {
      const other = new DatabaseSync(join(directory, 'feed.db'));
      other.exec(sql);
      other.close();

      expect((await failureOf(directory)).message).toMatch(/feed\.db is another program's\. Move it away/);
    }),
  );

  test.each([0, 1, 3])('has format %i', (format) =>
    inDirectory(async (directory) => {
      const database = new DatabaseSync(await fill(directory));
      database.exec(`PRAGMA user_version = ${format}`);
      database.close();

      expect((await failureOf(directory)).message).toMatch(
        new RegExp(`feed\\.db has format ${format}, and this release uses format 2: run the release`),
      );
    }),
  );

  test('is that of the engine of earlier releases', () =>
    inDirectory(async (directory) => {
      await writeFile(join(directory, 'tables.db'), 'SQLite format 3');

      expect((await failureOf(directory)).message).toMatch(
        /older release \(tables\.db\).* Name an empty directory/,
      );
    }));

  test.runIf(mayBecome)('belongs to another user', () =>
    inDirectory(async (directory) => {
      const data = join(directory, 'data');
      await chmod(directory, 0o777);
      await runStore('other', data);

      expect((await failureOf(data)).message).toMatch(
        /feed\.db belongs to the user with the number 65534, and this process runs as \d+\. Run it as that user/,
      );
    }),
  );
});

describe('a database gets a new identity, which stops its sources, when', () => {
  async function expectNewIdentity(directory: string, before: string, notice: RegExp): Promise<void> {
    const after = await lookAt(directory);
    expect(after.identity).not.toBe(before);
    expect(after.notices).toEqual([expect.stringMatching(notice)]);
    expect(after.notices[0]).toMatch(/its sources go on only after "returns-feed sources restore"\.$/);
    expect(await lookAt(directory)).toEqual({ ...after, notices: [] });
  }

  test('its WAL is lost', () =>
    inDirectory(async (directory) => {
      await fill(directory);
      const { identity } = await lookAt(directory);
      await saveAndKill(directory);
      for (const file of ['feed.db-wal', 'feed.db-shm']) await rm(join(directory, file));

      await expectNewIdentity(
        directory,
        identity,
        /feed\.db lacks the last \d+ changes: its -wal file is lost/,
      );
    }));

  test('its WAL is lost that had all but the first state of a source', () =>
    inDirectory(async (directory) => {
      await saveAndKill(directory, 'begin');
      for (const file of ['feed.db-wal', 'feed.db-shm']) await rm(join(directory, file));

      const { sources, groups, notices } = await lookAt(directory);

      expect({ sources, groups }).toEqual({ sources: ['acme'], groups: 0 });
      expect(notices).toEqual([expect.stringMatching(/feed\.db lacks the last \d+ changes: its -wal/)]);
    }));

  test('an older copy of it takes its place', () =>
    inDirectory(async (directory) => {
      const file = await fill(directory);
      const copy = await readFile(file);
      const { identity } = await lookAt(directory);
      await runStore('once', directory);
      await writeFile(file, copy);

      await expectNewIdentity(directory, identity, /feed\.db lacks the last 2 changes: .* or it is older/);
    }));

  test('its directory was copied, while the original keeps its own', () =>
    inDirectory(async (directory) => {
      const [original, copy] = [join(directory, 'data'), join(directory, 'copy')];
      await fill(original);
      const { identity } = await lookAt(original);
      await cp(original, copy, { recursive: true, preserveTimestamps: true });

      await expectNewIdentity(copy, identity, /feed\.db is a copy, or another file than before/);
      expect(await lookAt(original)).toMatchObject({ identity, notices: [] });
    }));

  test.each(['is missing', 'is damaged'])('the file beside it %s', (what) =>
    inDirectory(async (directory) => {
      await fill(directory);
      const { identity } = await lookAt(directory);
      const seen = join(directory, 'feed.seen');
      await (what === 'is missing' ? rm(seen) : writeFile(seen, '\0'.repeat(160)));

      await expectNewIdentity(
        directory,
        identity,
        /feed\.seen is missing or damaged, so .*feed\.db may be a copy/,
      );
    }),
  );

  test('a backup takes its place after a crash, once the WAL of the crash is gone', () =>
    inDirectory(async (directory) => {
      const file = await fill(directory);
      const { identity } = await lookAt(directory);
      await copyFile(file, join(directory, 'backup'));
      await saveAndKill(directory);
      await rename(join(directory, 'backup'), file);

      const { message } = await failureOf(directory);
      for (const path of [`${file}-wal`, `${file}-shm`]) {
        expect(message).toContain(path);
        await rm(path);
      }

      await expectNewIdentity(directory, identity, /feed\.db is a copy, or another file than before/);
    }));

  test('a backup takes its place', () =>
    inDirectory(async (directory) => {
      const file = await fill(directory);
      const { identity } = await lookAt(directory);
      const store = await openStore(directory);
      await store.backup(join(directory, 'backup'));
      await store.close();
      await rename(join(directory, 'backup'), file);

      await expectNewIdentity(directory, identity, /feed\.db is a copy, or another file than before/);
    }));
});

test.each(['{', '{}'])('a state that is damaged is named, with the way out: %s', (body) =>
  inDirectory(async (directory) => {
    const database = new DatabaseSync(await fill(directory));
    database.prepare("INSERT INTO documents VALUES ('source', 'acme', 1, ?)").run(Buffer.from(body));
    database.close();
    const store = await openStore(directory);

    const failure = await store.states.load('acme').catch((error: unknown) => error);

    await store.close();
    expect((failure as Error).message).toMatch(
      /^The source "acme" can't be read: another release wrote it, or the database is damaged\. [^\n{]+$/,
    );
    expect((failure as Error).message).toMatch(RESTORE);
  }),
);

test.each(['deleted', 'moved', 'replaced'])('a process stops when its database is %s', (what) =>
  inDirectory(async (directory) => {
    const data = join(directory, 'data');
    const store = await openStore(data);
    const save = (group: number) => store.snapshots.save(aKey(group), aSave(aKey(group), undefined, 1));
    await save(1);

    if (what === 'moved') await rename(data, join(directory, 'elsewhere'));
    else await rm(data, { recursive: true });
    if (what === 'replaced') await fill(data);

    await expect(save(2)).rejects.toThrow(/feed\.db was deleted, moved or replaced while .* Start again/);
    await store.close();
  }),
);

describe('nothing is lost', () => {
  test('when the disk is full, and the work goes on once there is room', { skip: !mayMount }, () =>
    inDirectory(async (directory) => {
      const [size, script] = ['4m', 'mount -t tmpfs -o size=$0 tmpfs "$1" && shift && exec "$@"'];
      const onSmallDisk = ['unshare', '-rm', 'sh', '-c', script, size, directory];

      const lines = await runStore('swell', directory, onSmallDisk);

      expect(lines.length).toBeGreaterThan(2);
      expect(lines.at(-1)).toMatch(
        /^FullDiskError: The disk of .*feed\.db is full\. Free some space, then run the command again/,
      );
    }),
  );

  test('when a directory is moved', () =>
    inDirectory(async (directory) => {
      const [before, after] = [join(directory, 'data'), join(directory, 'moved')];
      await fill(before);
      const known = await lookAt(before);
      await rename(before, after);

      expect(await lookAt(after)).toEqual(known);
    }));
});

describe('the rights of a directory', () => {
  test('are the owner’s alone, and those of its files', () =>
    inDirectory(async (directory) => {
      const data = join(directory, 'new', 'data');
      const store = await openStore(data);
      await store.snapshots.save(aKey(1), aSave(aKey(1), undefined, 2));

      const modes = await Promise.all(
        ['.', 'feed.db', 'feed.db-wal', 'feed.db-shm', 'feed.seen'].map(
          async (file) => (await stat(join(data, file))).mode & 0o777,
        ),
      );

      await store.close();
      expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
    }));

  test('are narrowed if others have some, which is said once', () =>
    inDirectory(async (directory) => {
      const file = await fill(directory);
      await chmod(directory, 0o755);
      await chmod(file, 0o644);

      const notices = [(await lookAt(directory)).notices, (await lookAt(directory)).notices];

      expect(notices).toEqual([
        [
          `Other users had rights to ${directory}: it is private now.`,
          `Other users had rights to ${file}: it is private now.`,
        ],
        [],
      ]);
      expect([(await stat(directory)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600]);
    }));

  test('stay if it has other files: only those of the feed are private', () =>
    inDirectory(async (directory) => {
      await chmod(directory, 0o755);
      await writeFile(join(directory, 'notes.txt'), '');

      const file = await fill(directory);

      expect([(await stat(directory)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o755, 0o600]);
    }));

  test.each(['feed.db', 'other.txt'])('are refused if others may have written %s', (name) =>
    inDirectory(async (directory) => {
      await writeFile(join(directory, name), '');
      await chmod(directory, 0o777);

      const { message } = await failureOf(directory);

      expect(message).toMatch(/^Other users may write to the data directory .*: chmod go-w [^ ]+\.$/);
      expect((await stat(directory)).mode & 0o777).toBe(0o777);
    }),
  );

  test('are narrowed where others could write and nothing is there yet', () =>
    inDirectory(async (directory) => {
      await chmod(directory, 0o777);

      await fill(directory);

      expect((await stat(directory)).mode & 0o777).toBe(0o700);
    }));

  test.each(['feed.db', 'feed.seen', 'feed-console.json', 'forward-secret', 'watch.holder', 'watch.lock'])(
    'are of no use for a link that leads elsewhere: %s',
    (name) =>
      inDirectory(async (directory) => {
        const [data, elsewhere] = [join(directory, 'data'), join(directory, 'elsewhere')];
        await fill(data);
        await writeFile(elsewhere, 'precious');
        await rm(join(data, name), { force: true });
        await symlink(elsewhere, join(data, name));

        const failures = [await failureOf(data), await lockForWatch(data).catch((error: unknown) => error)];

        for (const failure of failures)
          expect(String(failure)).toContain(`${name} is a link, which the feed does not follow`);
        expect(await readFile(elsewhere, 'utf8')).toBe('precious');
      }),
  );

  test.runIf(mayBecome)('are of no use for another user’s forward-secret', () =>
    inDirectory(async (directory) => {
      await fill(directory);
      await writeFile(join(directory, 'forward-secret'), 'whsec_c2VjcmV0');
      await chown(join(directory, 'forward-secret'), 65_534, 65_534);

      const failures = [
        await failureOf(directory),
        await readForwardSecret(directory).catch((error: unknown) => error),
      ];

      for (const failure of failures)
        expect(String(failure)).toMatch(/forward-secret belongs to the user with the number 65534/);
    }),
  );

  test.runIf(mayBecome)('are named if they do not allow to write', () =>
    inDirectory(async (directory) => {
      await chmod(directory, 0o755);
      await mkdir(join(directory, 'data'), { mode: 0o755 });

      const [line] = await runStore('other', join(directory, 'data'));

      expect(line).toMatch(
        /^StoreError: The data directory .*data can't be written: EACCES: .* Run this as the user who owns it/,
      );
    }),
  );
});

test('a path that is no directory is named', () =>
  inDirectory(async (directory) => {
    const file = join(directory, 'file');
    await writeFile(file, '');

    expect((await failureOf(file)).message).toMatch(/can't be written: it is not a directory/);
  }));

test.each([
  [0x6969, 'NFS'],
  [0xfe534d42, 'SMB'],
  // As Node reports it where numbers have 32 bits.
  [0xfe534d42 | 0, 'SMB'],
  [0x65735546, 'FUSE'],
  [0xef53, undefined],
  [0x01021994, undefined],
])('a file system of type %i counts as shared with other machines: %s', (type, name) => {
  expect(sharedFileSystem(type)).toBe(name);
});
