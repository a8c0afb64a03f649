// The note of `npm start` in the temporary directory, which other users may write to.
import { chown, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findRunningService, noteRunningService } from '../../../local/feed/running-service.ts';

const URL = 'http://127.0.0.1:4000';
/** `nobody` of most systems. */
const OTHER_USER = 65_534;

let directory: string;
let note: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'note-'));
  vi.stubEnv('TMPDIR', directory);
  note = join(directory, `returns-feed-start-${userInfo().username}.json`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

test('the service that started last is found until it ends', async () => {
  await noteRunningService('http://127.0.0.1:3999');
  const forget = await noteRunningService(URL);
  const running = await findRunningService();

  await forget();

  expect([running, await findRunningService()]).toEqual([URL, undefined]);
});

test('a link in place of the note is replaced, and the file that it names stays as it is', async () => {
  const precious = join(directory, 'precious');
  await writeFile(precious, 'keep me');
  await symlink(precious, note);

  await noteRunningService(URL);

  expect(await readFile(precious, 'utf8')).toBe('keep me');
  expect(await findRunningService()).toBe(URL);
});

test('a note behind a link is not believed', async () => {
  const elsewhere = join(directory, 'elsewhere');
  await writeFile(elsewhere, JSON.stringify({ url: URL, pid: process.pid }));
  await symlink(elsewhere, note);

  expect(await findRunningService()).toBeUndefined();
});

test.skipIf(process.getuid?.() !== 0)('a note of another user is not believed', async () => {
  await writeFile(note, JSON.stringify({ url: URL, pid: process.pid }));
  await chown(note, OTHER_USER, OTHER_USER);

  expect(await findRunningService()).toBeUndefined();
});
