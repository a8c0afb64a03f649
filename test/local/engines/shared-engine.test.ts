import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shareEngine } from '../../../local/engines/shared-engine.ts';

test('an engine that can’t be announced is stopped, and the caller learns why', async () => {
  const path = await mkdtemp(join(tmpdir(), 'shared-engine-'));
  let isStopped = false;
  const engine = shareEngine(path, async () => {
    // The lock's file can't be written any more.
    for (const name of await readdir(path)) {
      await rm(join(path, name));
      await mkdir(join(path, name));
    }
    return {
      endpoint: 'http://127.0.0.1:1',
      ended: new Promise(() => {}),
      async stop() {
        isStopped = true;
        await rm(path, { recursive: true });
      },
    };
  });
  await expect(engine.endpoint()).rejects.toThrow(`The data directory ${path} can't be used`);
  expect(isStopped).toBe(true);
  await engine.close();
});
