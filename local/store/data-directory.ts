// Makes sure that a directory can hold a feed: it belongs to this machine and this user, nobody else may read it, and
// nobody else can have put a file into it.
// Files are checked by their paths only: closing a descriptor of feed.db or watch.lock would drop SQLite's locks.
import { constants, statSync } from 'node:fs';
import { access, chmod, lstat, mkdir, open, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StoreError } from './store-error.ts';

/** Linux's types of file systems that several machines may have mounted, by their names for users. */
const SHARED_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
]);

const OUR_FILES = /^(feed|watch|forward)[.-]/;

const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;
const RIGHTS = 0o777;
const OTHERS_WRITE = 0o022;
const ROOT = 0;

/**
 * Creates the directory and its parents if missing, and narrows its rights if it holds nothing else.
 *
 * @returns what operators should know
 * @throws StoreError if it can't hold a feed
 */
export async function prepareDirectory(path: string): Promise<string[]> {
  try {
    await makeWithParents(path);
    if (!(await stat(path)).isDirectory()) throw new Error('it is not a directory');
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    if (codeOf(cause) === 'EROFS')
      throw new StoreError(`The disk of the data directory ${path} can only be read: name another one.`, {
        cause,
      });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(
      `The data directory ${path} can't be written: ${reason}. Run this as the user who owns it, or name another one.`,
      { cause },
    );
  }
  await refuseSharedFileSystem(path);
  await refuseForeignFiles(path);
  // A home directory, or /tmp, also has other files, which others may need to reach.
  const isOnlyOurs = (await readdir(path)).every((name) => OUR_FILES.test(name));
  return isOnlyOurs ? narrow(path, PRIVATE_DIRECTORY) : [];
}

/**
 * Refuses a directory in which others may have put a file: their `forward-secret` would sign events, and their link
 * would lead to another file, which is then overwritten.
 *
 * @throws StoreError
 */
export async function refuseForeignFiles(path: string): Promise<void> {
  if (process.getuid === undefined) return;
  const user = process.getuid();
  const names = await readdir(path);
  const { uid, mode } = await stat(path);
  const isOthers = uid !== user && user !== ROOT;
  // An empty one is narrowed.
  if (isOthers || ((mode & OTHERS_WRITE) !== 0 && names.length > 0))
    throw new StoreError(
      `Other users may write to the data directory ${path}: its files may be theirs. Name another directory, or check ` +
        `the files, and let only the user who runs this write: chmod go-w ${path}.`,
    );
  for (const name of names.filter((it) => OUR_FILES.test(it))) {
    const file = join(path, name);
    const found = await lstat(file).catch(unlessGone);
    if (found?.isSymbolicLink())
      throw new StoreError(`${file} is a link, which the feed does not follow. Put the file itself there.`);
    if (found !== undefined && found.uid !== user)
      throw new StoreError(
        `${file} belongs to the user with the number ${found.uid}, and this process runs as ${user}. Run it as that ` +
          'user.',
      );
  }
}

/** SQLite deletes its files beside the database when the last process closes it. */
function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/**
 * Creates an empty file if it is missing; otherwise narrows its rights.
 *
 * @returns what operators should know
 */
export async function prepareFile(path: string): Promise<string[]> {
  try {
    await (await open(path, 'wx', PRIVATE_FILE)).close();
    return [];
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  await access(path, constants.R_OK | constants.W_OK).catch((cause: unknown) => {
    throw new StoreError(`${path} can't be written: give its owner the right, with chmod u+rw.`, { cause });
  });
  return narrow(path, PRIVATE_FILE);
}

/** @throws StoreError, with the true cause, if the file is missing or can't be read */
export async function checkReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR')
      throw new StoreError(
        `There is no state in ${dirname(path)}: no "watch" ever ran with --data ${dirname(path)}.`,
        { cause },
      );
    const { uid } = (await stat(dirname(path)).catch(() => undefined)) ?? {};
    const owner = uid === undefined ? 'its owner' : `its owner, the user with the number ${uid}`;
    throw new StoreError(`${path} can't be read (${codeOf(cause)}): run this as ${owner}.`, { cause });
  }
}

/**
 * The name under which SQLite can read a database: beside it SQLite makes files, unless the disk allows none, where
 * nothing changes either.
 *
 * @throws StoreError for changes that can only be read on a disk that can be written
 */
export async function readableFile(path: string): Promise<string> {
  const [wal, shm] = await Promise.all(
    ['-wal', '-shm'].map((end) => stat(path + end).catch(() => undefined)),
  );
  if ((await isWritable(dirname(path))) || (wal !== undefined && shm !== undefined)) return path;
  if ((wal?.size ?? 0) > 0)
    throw new StoreError(
      `The last changes are in ${path}-wal, which can only be read where ${dirname(path)} can be written: copy the ` +
        'directory to another disk, and name the copy.',
    );
  return `${pathToFileURL(path).href}?immutable=1`;
}

export async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function narrow(path: string, rights: number): Promise<string[]> {
  const { mode } = await stat(path);
  if (process.platform === 'win32' || (mode & RIGHTS & ~rights) === 0) return [];
  const open = `Other users had rights to ${path}`;
  try {
    await chmod(path, mode & rights);
    return [`${open}: it is private now.`];
  } catch {
    return [`${open}, and only its owner can take them away: chmod ${rights.toString(8)}.`];
  }
}

async function refuseSharedFileSystem(path: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const name = sharedFileSystem((await statfs(path)).type);
  if (name === undefined) return;
  throw new StoreError(
    `The data directory ${path} is on a file system that may be shared with other machines (${name}), where locks ` +
      'do not hold. Name a directory on a disk of this machine; in a container, on a volume.',
  );
}

/** @returns the name of a type of file system that several machines may have mounted */
export function sharedFileSystem(type: number): string | undefined {
  return SHARED_FILE_SYSTEMS.get(type >>> 0);
}

/** Node's recursive mkdir never returns if mkdir answers ENOENT inside an existing directory, as below /proc. */
async function makeWithParents(path: string): Promise<void> {
  try {
    await mkdir(path, PRIVATE_DIRECTORY);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeWithParents(dirname(path));
    await mkdir(path, PRIVATE_DIRECTORY);
  }
}

/** The files of a data directory. */
export type DirectoryFiles = ReturnType<typeof filesOf>;

export function filesOf(directory: string) {
  return {
    database: join(directory, 'feed.db'),
    seen: join(directory, 'feed.seen'),
    lock: join(directory, 'watch.lock'),
    holder: join(directory, 'watch.holder'),
    /** Of the releases before 2026-12, whose state this one does not read. */
    old: join(directory, 'tables.db'),
  };
}

/** A text that another file has not: a copy has another inode, or another time of birth. The number of the device may change when a machine starts. */
export function identifyFile(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.ino} ${found.birthtimeNs}`;
}

/** The system's code of an error, such as `ENOENT`; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
