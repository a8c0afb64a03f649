// The commands on the pages for operators exist, and those for a feed on this machine run.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadProgram, withAllBelow } from '../../local/cli/program.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import { type Ended, runFeed } from '../local/cli/run-feed.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const TOKEN = 'the-token-of-the-store';

let store: ReferenceService;
let directory: string;
let data: string;
let group: string;
/** The warnings of a watch that holds changes back. */
let warned: string;

beforeAll(async () => {
  store = await createReferenceService({ groups: 60, token: TOKEN, life: false, knobs: { rateLimit: 0 } });
  directory = await mkdtemp(join(tmpdir(), 'documents-'));
  data = join(directory, 'state');
  await watchUntil(({ stderr }) => stderr.includes('baseline complete'));
  // A hold with samples.
  for (const { id } of store.control.snapshot().slice(0, 30)) store.control.remove(Number(id));
  warned = (await watchUntil(({ stderr }) => stderr.includes('returns-feed release'))).stderr;
  group = String(store.control.snapshot()[0]?.id);
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** Watches repeatedly, and longer each time, until it has seen enough: a busy machine needs more time. */
async function watchUntil(hasSeen: (ran: Ended) => boolean): Promise<Ended> {
  for (let tries = 1; ; tries += 1) {
    const ran = await watch(8 * tries);
    if (hasSeen(ran)) return ran;
    if (tries === 4) throw new Error(`Not seen in four runs. The last one: ${ran.stderr}`);
  }
}

/** Runs `watch` with a budget that polls and look-ups can't use up. */
function watch(seconds: number): Promise<Ended> {
  const pace = ['--every', '500ms', '--settle', '1s', '--reconcile', '2s', '--budget', '3000'];
  const args = ['watch', '--base-url', store.url, '--source', 'acme', '--data', data, '--json'];
  return runFeed([...args, ...pace, '--baseline', 'emit', '--for', `${seconds}s`], { token: TOKEN });
}

function commandsIn(page: string): string[][] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const commands = [...text.matchAll(/^npx --no returns-feed (.*)$/gm)].map(([, words = '']) => words);
  return [...new Set(commands)].map(wordsOf);
}

/** Whether it asks on a terminal, which tests have not. */
function asks(words: readonly string[]): boolean {
  return ['release', 'adopt', 'forget'].includes(words[0] ?? '') || words.includes('--skip');
}

/** The words of a command, split like a shell. */
function wordsOf(command: string): string[] {
  return [...command.replaceAll(/ \\\n\s*/g, ' ').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

test.each(['troubleshooting.md', 'deploying.md', 'operating.md'])(
  '%s names only commands that exist',
  async (page) => {
    for (const words of commandsIn(page)) {
      if (words.includes('…')) continue;
      const program = await loadProgram();
      const run: string[] = [];
      for (const command of withAllBelow(program)) {
        command.exitOverride().configureOutput({ writeErr: () => {} });
        if (command.commands.length === 0) command.action(() => void run.push(command.name()));
      }

      await program.parseAsync(words, { from: 'user' });

      expect(run, words.join(' ')).toHaveLength(1);
    }
  },
);

test('each command that status and the warnings of watch print can be run unchanged', async () => {
  const { stdout: status } = await runFeed(['status', '--data', data]);
  const texts = `${status}\n${warned}`;
  const printed = [...texts.matchAll(/returns-feed ((?:[a-z]+ )+(?:\\\n|[^")\n])*)/g)].map(
    ([, command = '']) => wordsOf(command),
  );

  const names = printed.map(([name]) => name);
  expect(names.sort()).toEqual(['release', 'release', 'release', 'watch']);
  for (const words of printed) {
    const isWatch = words[0] === 'watch';
    const { code, stderr } = await runFeed([...words, ...(isWatch ? ['--for', '1s'] : ['--yes'])], {
      token: TOKEN,
    });

    expect([0, 3], `${words.join(' ')}: ${stderr}`).toContain(code);
  }
});

test('each command of troubleshooting.md for a feed on this machine runs on a source that is held', async () => {
  const commands = commandsIn('troubleshooting.md').filter((words) => words.includes('--data'));
  const given: Readonly<Record<string, string>> = { state: data, '184467': group };

  for (const words of commands) {
    const filled = words.map((word) => given[word] ?? word);
    const { code, stderr } = await runFeed(asks(words) ? [...filled, '--yes'] : filled);

    expect([0, 3], `${words.join(' ')}: ${stderr}`).toContain(code);
  }
  expect(commands.length).toBeGreaterThan(5);
});
