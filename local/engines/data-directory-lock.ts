// Locks a data directory for one process at a time: two engines on one file would not see each other's writes.
//
// The lock is the file `lock-<n>` with the highest number. A process takes the lock by creating the file of the next
// number, once the holder of the highest number has released it or is gone; only one of several processes can create
// it. The highest file is never removed, so no number is created twice, and a slow process can't overtake a later one.
// The holder's heartbeat is its file's modification time: if it moves, a holder in another container is alive. A holder
// changes only the file that has its nonce: if the directory was deleted and begun anew, the file of its number is the
// lock of another process. The file also has the endpoint of the holder's engine, so that other commands read the
// tables through it.
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError, errorCode } from '../../test/engines/engine-error.ts';
import { describeMyself, isAlive, isHere, isProcess, type LockHolder, parseHolder } from './lock-holder.ts';
import { requestLock, watchForRequest } from './lock-request.ts';

export interface LockTimes {
  /** Between two heartbeats. */
  readonly heartbeatMs: number;
  /** A holder without a heartbeat for this long counts as gone. */
  readonly silentMs: number;
}

export interface LockOptions {
  readonly times?: LockTimes;
  /**
   * Called if the lock is no longer this process's own: another process took it over, because this one was frozen for
   * longer than `silentMs`, or the directory was deleted or moved.
   */
  readonly onLost?: (error: EngineError) => void;
  /**
   * Called once if another process needs the directory for itself: this one must release the lock then. A process
   * without `onAsked` needs the directory for itself, and asks a holder that has an `onAsked`.
   */
  readonly onAsked?: (() => void) | undefined;
}

export interface DataDirectoryLock {
  /** Records where the engine serves the tables, for other commands. @throws EngineError if it can't be written */
  announce(endpoint: string): Promise<void>;
  release(): Promise<void>;
}

const TIMES: LockTimes = { heartbeatMs: 2_000, silentMs: 15_000 };
/** Attempts that other processes may win. */
const MAX_TRIES = 20;
const RELEASED = 'released';
/** A file, or the directory that was above it. */
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** The locks of this process, by their nonces. */
const mine = new Set<string>();

/**
 * Locks the directory for this process. Waits for a heartbeat of a holder that may be in another container.
 *
 * @throws EngineError while another process has it
 */
export async function lockDataDirectory(path: string, options: LockOptions = {}): Promise<DataDirectoryLock> {
  const times = options.times ?? TIMES;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const number = await highestNumber(path);
    const holder = await holderOf(path, number, times);
    if (holder !== undefined) {
      const isHeld = async () => (await holderOf(path, number, times)) !== undefined;
      const asks = holder.yields && options.onAsked === undefined;
      if (asks && (await requestLock(fileOf(path, number), isHeld))) continue;
      throw new EngineError(describeUse(path, number, holder));
    }
    const lock = await create(path, number + 1, times, options);
    if (lock !== undefined) return lock;
  }
  throw new EngineError(`The data directory ${path} can't be locked: other processes keep taking it.`);
}

/** A process that holds the lock. */
export interface Holder extends Pick<LockHolder, 'pid' | 'host' | 'yields' | 'endpoint'> {
  /** Whether it runs on this machine, and in the same container if there is one. */
  readonly isHere: boolean;
}

/** The process that holds the lock, if any. */
export async function findHolder(path: string, times: LockTimes = TIMES): Promise<Holder | undefined> {
  return holderOf(path, await highestNumber(path), times);
}

/** @returns undefined if another process was faster */
async function create(
  path: string,
  number: number,
  times: LockTimes,
  { onLost = () => {}, onAsked }: LockOptions,
): Promise<DataDirectoryLock | undefined> {
  const nonce = randomUUID();
  const file = fileOf(path, number);
  const me = describeMyself(nonce, onAsked !== undefined);
  try {
    await writeFile(file, JSON.stringify(me), { flag: 'wx' });
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return undefined;
    throw unusable(path, 'locked', cause);
  }
  // Other processes may have taken and released the lock since the numbers were read.
  if ((await highestNumber(path)) > number) {
    await rm(file, { force: true });
    return undefined;
  }
  mine.add(nonce);
  await removeBelow(path, number);
  const stopWatching = onAsked === undefined ? () => {} : watchForRequest(file, onAsked);
  const beating = setInterval(async () => {
    if (!mine.has(nonce) || (await beat(file, nonce))) return;
    clearInterval(beating);
    if (mine.delete(nonce)) onLost(new EngineError(await describeLoss(path, number)));
  }, times.heartbeatMs).unref();
  return {
    async announce(endpoint) {
      await overwrite(file, nonce, JSON.stringify({ ...me, endpoint })).catch((cause: unknown) => {
        throw unusable(path, 'used', cause);
      });
    },
    async release() {
      clearInterval(beating);
      stopWatching();
      mine.delete(nonce);
      await overwrite(file, nonce, RELEASED);
    },
  };
}

function unusable(path: string, how: string, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EngineError(`The data directory ${path} can't be ${how}: ${reason}`, { cause });
}

/** @returns false if the lock is no longer this process's own */
async function beat(file: string, nonce: string): Promise<boolean> {
  const now = new Date();
  // A single missed heartbeat does no harm.
  return changeOwn(file, nonce, (own) => own.utimes(now, now)).catch(() => true);
}

async function overwrite(file: string, nonce: string, text: string): Promise<void> {
  await changeOwn(file, nonce, async (own) => {
    // Write, then truncate: an empty file would look like a lock that is just being written.
    await own.write(text, 0);
    await own.truncate(Buffer.byteLength(text));
  });
}

/**
 * Changes the file of the lock with this nonce; another lock's file is left alone. The handle keeps it the same file.
 *
 * @returns false if the file is gone or has another lock
 */
async function changeOwn(
  file: string,
  nonce: string,
  change: (own: FileHandle) => Promise<void>,
): Promise<boolean> {
  // Never create the file: after a takeover it must not come back.
  const handle = await open(file, 'r+').catch((error: unknown) => {
    if (GONE.has(errorCode(error))) return undefined;
    throw error;
  });
  if (handle === undefined) return false;
  try {
    const isOwn = (await handle.readFile('utf8')).includes(nonce);
    if (isOwn) await change(handle);
    return isOwn;
  } finally {
    await handle.close();
  }
}

/** Why the lock of this number is no longer this process's own. */
async function describeLoss(path: string, number: number): Promise<string> {
  const highest = await highestNumber(path).catch(() => 0);
  if (highest > number) return `Another process took over the data directory ${path}.`;
  const anew = highest === 0 ? '' : ', and another process has begun a new one there';
  return `The data directory ${path} was deleted or moved${anew}. If it was moved, start again with its new path.`;
}

/** The holder of a number, unless it has released the lock or is gone. */
async function holderOf(path: string, number: number, times: LockTimes): Promise<Holder | undefined> {
  if (number === 0) return holderOfEarlierRelease(path);
  const file = fileOf(path, number);
  let seen = await look(file);
  let quietMs = 0;
  for (;;) {
    if (seen.text === undefined || seen.text.startsWith(RELEASED)) return undefined;
    const holder = parseHolder(seen.text);
    if (holder !== undefined && mine.has(holder.nonce)) return toHolder(holder);
    const alive = holder && isAlive(holder);
    if (alive !== undefined && holder !== undefined) return alive ? toHolder(holder) : undefined;
    if (quietMs >= times.silentMs) return undefined;
    await sleep(times.heartbeatMs / 4);
    quietMs += times.heartbeatMs / 4;
    const before = seen;
    seen = await look(file);
    if (seen.movedAt === before.movedAt || seen.text === undefined) continue;
    if (holder !== undefined && parseHolder(seen.text)?.nonce === holder.nonce) return toHolder(holder);
  }
}

function toHolder(holder: LockHolder): Holder {
  return { ...holder, isHere: isHere(holder) };
}

async function look(file: string): Promise<{ text: string | undefined; movedAt: number | undefined }> {
  try {
    const { mtimeMs } = await stat(file);
    return { text: await readFile(file, 'utf8'), movedAt: mtimeMs };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return { text: undefined, movedAt: undefined };
  }
}

function fileOf(path: string, number: number): string {
  return join(path, number === 0 ? 'lock' : `lock-${number}`);
}

const NUMBERED = /^lock-([1-9]\d{0,14})$/;

async function numbersIn(path: string): Promise<number[]> {
  const names = await readdir(path);
  return names.flatMap((name) => NUMBERED.exec(name)?.slice(1).map(Number) ?? []);
}

/** 0 if the lock was never taken. */
async function highestNumber(path: string): Promise<number> {
  return Math.max(0, ...(await numbersIn(path)));
}

async function removeBelow(path: string, number: number): Promise<void> {
  const old = [0, ...(await numbersIn(path))].filter((each) => each < number);
  await Promise.all(old.map((each) => rm(fileOf(path, each), { force: true })));
}

/** Earlier releases wrote only their process id into `lock`, and removed the file at the end. */
async function holderOfEarlierRelease(path: string): Promise<Holder | undefined> {
  const { text = '' } = await look(fileOf(path, 0));
  const pid = /^\d+$/.test(text) ? Number(text) : undefined;
  if (pid === undefined || pid === process.pid || !isProcess(pid)) return undefined;
  return { pid, host: describeMyself('').host, isHere: true, yields: false };
}

function describeUse(path: string, number: number, { pid, host, isHere }: Holder): string {
  const where = isHere ? '' : ` on ${host}`;
  return (
    `The data directory ${path} is in use by process ${pid}${where}. Stop that process, or use another ` +
    `directory. If process ${pid} is no returns-feed, delete ${fileOf(path, number)}.`
  );
}
