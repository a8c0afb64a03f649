// The console's address on its terminal and in `status`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { COMMAND, runFeed, runFeedOnTerminal } from '../cli/run-feed.ts';
import { type SearchedFeed, startSearchedFeed } from './searched-feed.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let searched: SearchedFeed;
beforeAll(async () => {
  searched = await startSearchedFeed();
});
afterAll(() => searched.close());

const ADDRESS = /http:\/\/\w+\.localhost:\d+\/\?token=[\w-]+/g;

test('c and Enter print the address again, and Ctrl-C still ends the console', async () => {
  const { code, stdout } = await runFeedOnTerminal(['console', '--data', searched.data], {
    columns: 120,
    answers: [
      { after: 'Ctrl-C stops', keys: 'c\n' },
      { after: 'print it again, Ctrl-C stops.\r\nhttp', keys: '\u0003' },
    ],
  });

  const addresses = stdout.match(ADDRESS) ?? [];
  expect(code).toBe(0);
  expect(addresses.length).toBeGreaterThanOrEqual(2);
  expect(new Set(addresses).size).toBe(1);
});

test('status shows where a console runs, without its token, until it ends', async () => {
  const child = spawn(process.execPath, [COMMAND, 'console', '--data', searched.data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const address = new URL(String(printed).trim());

  const during = await runFeed(['status', '--data', searched.data]);
  child.kill('SIGINT');
  await once(child, 'exit');
  const after = await runFeed(['status', '--data', searched.data]);

  expect(during.stdout).toContain(`console: ${address.origin}/`);
  expect(during.stdout).not.toContain('token');
  expect(after.stdout).not.toContain('console:');
});
