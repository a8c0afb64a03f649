// A held source on this machine: its `status`, and its `release`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { type RunOptions, runFeed, runFeedOnTerminal, type TerminalOptions } from '../cli/run-feed.ts';

const TOKEN = 'the-token-of-the-store';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let store: ReferenceService;
let directory: string;
let data: string;

beforeAll(async () => {
  store = await createReferenceService({ groups: 60, token: TOKEN, life: false });
  directory = await mkdtemp(join(tmpdir(), 'status-'));
  data = join(directory, 'state');
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const watch = (forTime: string, options: Omit<RunOptions, 'token'> = {}) => {
  const pace = [
    '--every',
    '500ms',
    '--settle',
    '1s',
    '--reconcile',
    '4s',
    '--budget',
    '2400',
    '--baseline',
    'emit',
  ];
  const args = ['watch', '--base-url', store.url, '--source', 'acme', '--data', data, '--json'];
  return runFeed([...args, ...pace, '--for', forTime], { ...options, token: TOKEN });
};
const status = (...others: string[]) => runFeed(['status', '--data', data, ...others]);

function onTerminal(
  columns: number,
  environment = {},
  others: readonly string[] = [],
  answers: NonNullable<TerminalOptions['answers']> = [],
) {
  return runFeedOnTerminal(['status', '--data', data, ...others], { columns, environment, answers });
}

/** Runs the command that a text prints, as a shell reads it. */
function paste(text: string) {
  const [, command = ''] = /^ {4}npx --no returns-feed (release (?:\\\n|.)*)$/m.exec(text) ?? [];
  return runFeed([...command.replaceAll(/\\\n/g, '').split(/\s+/), '--yes']);
}

describe('a source that was held', () => {
  test('is shown, released by the shown command, and continues', async () => {
    const known = await watch('5s');
    const stopped = await status();
    for (const { id } of store.control.snapshot().slice(0, 30)) store.control.remove(Number(id));
    const held = await watch('8s');
    const shown = await status();
    const narrow = await onTerminal(60);
    const live = await onTerminal(80, {}, ['--watch'], [{ after: 'times in', keys: '\u0003' }]);
    const piped = await status('--watch');
    const refused = await runFeedOnTerminal(['release', '--hold', '1', '--data', data], {
      columns: 80,
      answers: [{ after: '[y/N]', keys: 'n\n' }],
    });
    const dry = await runFeed(['release', '--hold', '1', '--data', data, '--dry-run', '--json']);
    const released = await paste(narrow.stdout);
    const after = await status();
    // Ctrl-C at the first event, because the time until then depends on the machine.
    const continued = await watch('50s', { onOutput: (child) => child.kill('SIGINT') });

    expect(known.stdout).not.toBe('');
    expect(stopped).toMatchObject({
      code: 3,
      stderr: '',
      stdout: expect.stringMatching(
        /^source acme is not polled since .*\n\nacme {2}stopped: No "watch" runs/,
      ),
    });
    expect(stopped.stdout).toContain(
      `    npx --no returns-feed watch --base-url ${store.url} --source acme --json --every`,
    );
    expect(held, held.stderr).toMatchObject({ code: 0, stdout: '' });
    expect(shown).toMatchObject({
      code: 3,
      stderr: '',
      stdout: expect.stringMatching(/^source acme is held since .*\n\nacme {2}held: one decision/),
    });
    expect(shown.stdout).not.toContain('\u001b');
    expect(narrow).toMatchObject({ code: 3, stdout: expect.stringContaining('\u001b[33mheld') });
    for (const line of stripVTControlCharacters(narrow.stdout).split('\n'))
      expect(line.length <= 60 || !line.trim().includes(' '), line).toBe(true);
    expect(live).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/1049l.*source acme is held since/),
    });
    expect(piped).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--watch needs a terminal'),
    });
    expect(refused).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/Release hold 1\? Up to \d+ return groups/),
    });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      outcome: 'standing',
      hold: { number: 1, samples: { length: 10 } },
    });
    expect(released).toMatchObject({ code: 0, stderr: '' });
    expect(released.stdout).toMatch(/\nreleased: hold 1 of source acme\./);
    expect(after.stdout).toContain('It is over');
    expect(continued.stdout).toContain('return_group.removed');
  });

  test('is shown during a watch as well', async () => {
    let during: ReturnType<typeof status> | undefined;
    store.control.create();
    await watch('60s', {
      onOutput: (child) => {
        during = status('--json').finally(() => child.kill('SIGINT'));
      },
    });

    const shown = await during;

    expect(shown?.stderr).toBe('');
    expect(JSON.parse(shown?.stdout ?? '')).toMatchObject({
      sources: [{ source: 'acme', polledBy: expect.any(Number) }],
    });
  });
});

describe.concurrent('an impossible request', () => {
  test('names AWS_REGION if it needs a region', async () => {
    const environment = {
      AWS_REGION: '',
      AWS_DEFAULT_REGION: '',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_PROFILE: '',
    };

    const { code, stderr } = await runFeed(['status', '--stack', 'ReturnsFeed'], { environment });

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: Name the deployment's region: set AWS_REGION,.*\n$/),
    });
  });

  test('names the variable of an endpoint that is no address', async () => {
    const environment = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_LAMBDA: 'localhost:4566' };

    const { code, stderr } = await runFeed(['status', '--stack', 'ReturnsFeed'], { environment });

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: AWS_ENDPOINT_URL_LAMBDA must be an http or https address, such as http://127.0.0.1:8000 (got "localhost:4566").\n',
    });
  });

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
