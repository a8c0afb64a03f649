import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type DataDirectoryLock,
  findHolder,
  lockDataDirectory,
} from '../../../local/engines/data-directory-lock.ts';
import { describeMyself } from '../../../local/engines/lock-holder.ts';
import { EngineError } from '../../engines/engine-error.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Short enough for tests. */
const SHORT = { heartbeatMs: 40, silentMs: 400 };
const PROGRAM = fileURLToPath(new URL('programs/take-lock.ts', import.meta.url));

let directory: string;
const children: ChildProcessByStdio<Writable, Readable, null>[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'returns-feed-lock-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  await rm(directory, { recursive: true });
});

async function kill(child: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Starts a process that tries to take the lock on request. */
async function startTaker() {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    child,
    async take(): Promise<string> {
      child.stdin.write('\n');
      return (await lines.next()).value;
    },
  };
}

/** Writes the lock of a process in another container with the same process id. */
async function lockElsewhere(): Promise<string> {
  const file = join(directory, 'lock-1');
  const holder = { ...describeMyself('theirs'), place: 'another container', host: 'another-container' };
  await writeFile(file, JSON.stringify(holder));
  return file;
}

/** Locks the directory, then takes it away. */
async function lockAndLose(lose: () => Promise<void>): Promise<{ lost: Error; lock: DataDirectoryLock }> {
  let onLost: (error: Error) => void = () => {};
  const losing = new Promise<Error>((resolve) => {
    onLost = resolve;
  });
  const lock = await lockDataDirectory(directory, { times: SHORT, onLost });
  await lose();
  return { lost: await losing, lock };
}

/** What a holder sees after its directory was deleted and another process has locked a new one there; in one step. */
async function beginAnew(): Promise<void> {
  const theirs = join(directory, 'theirs');
  await writeFile(theirs, JSON.stringify(describeMyself('theirs')));
  await utimes(theirs, 0, 0);
  await rename(theirs, join(directory, 'lock-1'));
}

describe('the lock of a data directory', () => {
  it('is refused while another running process holds it', async () => {
    const other = await startTaker();
    await other.take();

    const locking = lockDataDirectory(directory);

    await expect(locking).rejects.toThrow(EngineError);
    await expect(locking).rejects.toThrow(`in use by process ${other.child.pid}. Stop that process`);
    expect(await findHolder(directory)).toMatchObject({
      pid: other.child.pid,
      host: hostname(),
      isHere: true,
    });
  });

  it('is refused if this process already holds it', async () => {
    const lock = await lockDataDirectory(directory);

    await expect(lockDataDirectory(directory)).rejects.toThrow(`in use by process ${process.pid}`);
    await lock.release();
    const again = await lockDataDirectory(directory);
    await again.release();
    expect(await findHolder(directory)).toBeUndefined();
  });

  it('is taken at once after a release, and leaves one file behind', async () => {
    for (let time = 0; time < 3; time += 1) await (await lockDataDirectory(directory)).release();

    expect(await readdir(directory)).toEqual(['lock-3']);
  });

  it('is taken by exactly one of several processes that start at once after a kill', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, startTaker));
    await first?.take();
    if (first !== undefined) await kill(first.child);

    const outcomes = await Promise.all(others.map(({ take }) => take()));

    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(1);
    expect(outcomes.filter((outcome) => /in use by process/.test(outcome))).toHaveLength(3);
  });

  it('is refused while a process in another container holds it with a heartbeat', async () => {
    const file = await lockElsewhere();
    const beating = setInterval(() => void utimes(file, new Date(), new Date()), SHORT.heartbeatMs / 2);

    const locking = lockDataDirectory(directory, { times: SHORT });

    await expect(locking).rejects.toThrow(`in use by process ${process.pid} on another-container`);
    expect(await findHolder(directory, SHORT)).toMatchObject({ host: 'another-container', isHere: false });
    clearInterval(beating);
  });

  it('is taken over from a process in another container after its heartbeat stopped', async () => {
    await lockElsewhere();

    const lock = await lockDataDirectory(directory, { times: SHORT });

    expect(await readdir(directory)).toEqual(['lock-2']);
    await lock.release();
  });

  it('has a heartbeat only while it is held', async () => {
    const lock = await lockDataDirectory(directory, { times: SHORT });
    const file = join(directory, 'lock-1');
    await utimes(file, 0, 0);

    await vi.waitFor(async () => expect((await stat(file)).mtimeMs).toBeGreaterThan(0));
    await lock.release();

    expect(await readFile(file, 'utf8')).toBe('released');
  });

  it('is taken over from a dead process if its id was reused', async () => {
    const other = await startTaker();
    await other.take();
    const file = join(directory, 'lock-1');
    const holder = JSON.parse(await readFile(file, 'utf8'));
    // If the system does not report when a process began, only its id identifies it.
    if (holder.began === null) return;
    await writeFile(file, JSON.stringify({ ...holder, began: '1' }));

    const lock = await lockDataDirectory(directory);

    await lock.release();
  });

  it('is taken over if its file is incomplete', async () => {
    await writeFile(join(directory, 'lock-1'), '');

    const lock = await lockDataDirectory(directory, { times: SHORT });

    await lock.release();
    expect(await readdir(directory)).toEqual(['lock-2']);
  });

  it('reports a takeover to the process that held it', async () => {
    const { lost } = await lockAndLose(async () => {
      await writeFile(join(directory, 'lock-2'), JSON.stringify(describeMyself('theirs')));
      await rm(join(directory, 'lock-1'));
    });

    expect(lost).toBeInstanceOf(EngineError);
    expect(lost.message).toBe(`Another process took over the data directory ${directory}.`);
  });

  it.each([
    ['deleted', () => rm(directory, { recursive: true })],
    ['moved', () => rename(directory, `${directory}-moved`)],
    ['emptied', () => rm(join(directory, 'lock-1'))],
  ])('reports to the process that held it that its directory was %s', async (_, remove) => {
    const { lost, lock } = await lockAndLose(remove);

    await lock.release();
    await mkdir(directory, { recursive: true });
    await rm(`${directory}-moved`, { recursive: true, force: true });
    expect(lost).toBeInstanceOf(EngineError);
    expect(lost.message).toMatch(`The data directory ${directory} was deleted or moved.`);
  });

  it('reports to the process that held it that another one has begun the directory anew', async () => {
    const { lost, lock } = await lockAndLose(beginAnew);
    await lock.release();

    const file = join(directory, 'lock-1');
    expect(lost.message).toMatch(`The data directory ${directory} was deleted or moved, and another process`);
    expect(await readFile(file, 'utf8')).toBe(JSON.stringify(describeMyself('theirs')));
    // It got no heartbeat.
    expect((await stat(file)).mtimeMs).toBe(0);
  });

  it('is not announced or released by a process that held the directory before it was begun anew', async () => {
    const earlier = await lockDataDirectory(directory);
    await rm(directory, { recursive: true });
    await mkdir(directory);
    const lock = await lockDataDirectory(directory);

    const file = join(directory, 'lock-1');
    const before = await readFile(file, 'utf8');
    await earlier.announce('http://127.0.0.1:1');
    await earlier.release();

    expect(await readFile(file, 'utf8')).toBe(before);
    await lock.release();
  });

  it('is not restored by a release after a takeover', async () => {
    const lock = await lockDataDirectory(directory, { times: SHORT });
    await rm(join(directory, 'lock-1'));
    const later = await lockDataDirectory(directory, { times: SHORT });

    await rm(join(directory, 'lock-1'));
    await lock.release();

    expect(await readdir(directory)).toEqual([]);
    await later.release();
  });
});

describe('the lock of an earlier release', () => {
  it('is refused while its process runs', async () => {
    const other = await startTaker();
    await writeFile(join(directory, 'lock'), String(other.child.pid));

    await expect(lockDataDirectory(directory)).rejects.toThrow(`in use by process ${other.child.pid}`);
  });

  it.each(['', '999999999'])('is taken over from a dead process: "%s"', async (text) => {
    await writeFile(join(directory, 'lock'), text);

    const lock = await lockDataDirectory(directory);

    await lock.release();
    expect(await readdir(directory)).toEqual(['lock-1']);
  });
});
