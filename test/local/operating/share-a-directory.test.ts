// Several commands on one data directory, as processes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPlace } from '../../../local/operating/open-place.ts';
import { type OpenStates, openStates } from '../../../local/operating/open-states.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { findProcess } from '../cli/find-process.ts';
import { runFeed } from '../cli/run-feed.ts';

const TOKEN = 'the-token-of-the-store';
const PROGRAM = fileURLToPath(new URL('programs/read-sources.ts', import.meta.url));

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let store: ReferenceService;
let directory: string;
let data: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  store = await createReferenceService({ groups: 40, token: TOKEN, life: false });
  directory = await mkdtemp(join(tmpdir(), 'share-'));
  data = join(directory, 'state');
  const watched = await watch();
  expect(watched.code).toBe(0);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await store.close();
  await rm(directory, { recursive: true });
});

function watch(onOutput: () => void = () => {}) {
  const pace = ['--every', '500ms', '--settle', '1s', '--baseline', 'emit', '--json', '--for', '3s'];
  const args = ['watch', '--base-url', store.url, '--source', 'acme', '--data', data, ...pace];
  return runFeed(args, { token: TOKEN, onOutput });
}

/** A process that keeps the directory open. */
async function startReader() {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, data], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    async read(): Promise<string> {
      child.stdin.write('\n');
      return (await lines.next()).value;
    },
    async kill(): Promise<void> {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    async end(): Promise<void> {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}

const sourcesOf = (open: OpenStates) => open.sources(undefined);

describe('a data directory that no watch uses', () => {
  test('is read by several commands at once', async () => {
    const all = await Promise.all([1, 2, 3].map(() => runFeed(['status', '--data', data])));

    for (const each of all)
      expect(each).toMatchObject({ code: 3, stderr: '', stdout: expect.stringMatching(/^acme {2}stopped/) });
  });

  test('is still read by a command after the process with the engine has ended or was killed', async () => {
    const first = await startReader();
    const second = await startReader();
    const open = openStates(await openPlace({ data }));

    const before = [await first.read(), await second.read(), await sourcesOf(open)];
    await first.kill();
    const afterKill = await Promise.all([second.read(), sourcesOf(open)]);
    await second.end();
    const afterEnd = await sourcesOf(open);
    await open.close();

    expect(before).toEqual(['acme', 'acme', ['acme']]);
    expect(afterKill).toEqual(['acme', ['acme']]);
    expect(afterEnd).toEqual(['acme']);
  });
});

describe('a command that keeps a data directory open', () => {
  test('continues to read after its engine was killed', async () => {
    const open = openStates(await openPlace({ data }));

    const before = await sourcesOf(open);
    process.kill(findProcess(/dynoxide$/, join(data, 'tables.db')), 'SIGKILL');
    const after = await sourcesOf(open);
    await open.close();

    expect([before, after]).toEqual([['acme'], ['acme']]);
  });

  test('gives it to a watch that starts, and continues to read during the watch and after it', async () => {
    const reader = await startReader();
    const open = openStates(await openPlace({ data }));
    store.control.create();
    const readings: Promise<unknown>[] = [];

    const watched = await watch(() => readings.push(reader.read(), sourcesOf(open)));
    const during = await Promise.all(readings);
    const after = [await reader.read(), await sourcesOf(open)];
    await reader.end();
    await open.close();

    expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining('return_group.created') });
    expect(during).toEqual(['acme', ['acme']]);
    expect(after).toEqual(['acme', ['acme']]);
  });
});
