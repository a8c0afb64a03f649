import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataDirectory } from '../../../local/engines/data-directory-lock.ts';
import { EngineError } from '../../../local/engines/engine-error.ts';

describe('the lock of a data directory', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'returns-feed-lock-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is refused while another process lives that holds it', async () => {
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' });
    await writeFile(join(directory, 'lock'), String(other.pid));

    const locking = lockDataDirectory(directory);

    await expect(locking).rejects.toThrow(EngineError);
    await expect(locking).rejects.toThrow(`in use by process ${other.pid}`);
    other.kill();
    await once(other, 'exit');
  });

  it('is taken over from a process that is gone', async () => {
    const other = spawn(process.execPath, ['-e', '']);
    await once(other, 'exit');
    await writeFile(join(directory, 'lock'), String(other.pid));

    const release = await lockDataDirectory(directory);

    await release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('is taken over where its file was left half written', async () => {
    await writeFile(join(directory, 'lock'), '');

    const release = await lockDataDirectory(directory);

    await release();
    expect(await readdir(directory)).toEqual([]);
  });
});
