// A held source on this machine: its `status`, and how `release` lets it continue.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { runFeed } from '../cli/run-feed.ts';

const TOKEN = 'the-token-of-the-store';
const OTHER_TOKEN = 'the-token-of-another-store';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let store: ReferenceService;
let other: ReferenceService;
let directory: string;
let data: string;

beforeAll(async () => {
  store = await createReferenceService({ groups: 40, token: TOKEN, life: false });
  other = await createReferenceService({ groups: 40, seed: 7, token: OTHER_TOKEN, life: false });
  directory = await mkdtemp(join(tmpdir(), 'status-'));
  data = join(directory, 'state');
});
afterAll(async () => {
  await store.close();
  await other.close();
  await rm(directory, { recursive: true });
});

const watch = (service: ReferenceService, ...others: string[]) => {
  const pace = ['--every', '500ms', '--settle', '1s', '--baseline', 'emit', '--json'];
  return ['watch', '--base-url', service.url, '--source', 'acme', '--data', data, ...pace, ...others];
};
const status = (...others: string[]) => runFeed(['status', '--data', data, ...others]);

describe('a source that was held', () => {
  test('is shown, released by the shown command, and continues', async () => {
    const known = await runFeed(watch(store, '--for', '5s'), { token: TOKEN });
    const well = await status();
    const held = await runFeed(watch(other, '--for', '5s'), { token: OTHER_TOKEN });
    const shown = await status();
    const command = /^ {2}returns-feed (release .*)$/m.exec(shown.stdout)?.[1]?.split(' ') ?? [];
    const released = [await runFeed(command), await runFeed(command)];
    const after = await status();
    const continued = await runFeed(watch(other, '--for', '5s'), { token: OTHER_TOKEN });

    expect(known.stdout).not.toBe('');
    expect(well).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^acme {2}well/) });
    expect(held).toMatchObject({ code: 0, stdout: '' });
    expect(shown).toMatchObject({ code: 3, stderr: '', stdout: expect.stringMatching(/^acme {2}held\n/) });
    expect(released.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    expect(released[0]?.stdout).toMatch(/^released: hold 1 of source acme\./);
    expect(after.stdout).not.toContain('held:');
    expect(continued.stdout).not.toBe('');
  });

  test('is shown during a watch as well', async () => {
    let during: ReturnType<typeof status> | undefined;
    const watched = runFeed(watch(store, '--for', '8s'), {
      token: TOKEN,
      onOutput: () => {
        during = status('--json');
      },
    });
    await watched;

    const shown = await during;

    expect(shown?.stderr).toBe('');
    expect(JSON.parse(shown?.stdout ?? '')).toMatchObject({ sources: [{ source: 'acme' }] });
  });
});

describe.concurrent('an impossible request', () => {
  test.each([
    ['neither a directory nor a stack', ['status'], 2],
    ['two places', ['status', '--data', 'a', '--stack', 'b'], 2],
    ['a directory without a state', ['status', '--data', join(tmpdir(), 'no-state-here')], 1],
    ['a release without a number', ['release', '--data', 'a'], 2],
    ['a release of an invalid number', ['release', '--data', 'a', '--hold', 'all'], 2],
  ])('is reported in one line: %s', async (_, args, code) => {
    const ended = await runFeed(args);

    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
  });
});
