// The commands in the documents exist, and those for a feed on this machine run.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadProgram, withAllBelow } from '../../local/cli/program.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import { type Ended, runFeed } from '../local/cli/run-feed.ts';
import { canConnect, freePort } from './run-receiver.ts';
import { type Shell, startShell } from './shell.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TOKEN = 'the-token-of-the-store';

/** All documents but docs/cli.md, which the command's own help is compared with. */
const DOCUMENTS = [
  ...['README.md', 'SECURITY.md'],
  ...readdirSync(join(ROOT, 'docs')).flatMap((file) =>
    /^(?!cli).*\.md$/.test(file) ? [`docs/${file}`] : [],
  ),
];

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

/** The commands in its blocks and in its sentences. */
function commandsIn(document: string): string[][] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const commands = [...text.matchAll(/npx --no returns-feed ((?:[^`\n\\)]|\\\n)+)/g)].map(
    ([, words = '']) => words.split(/ [|>#] /)[0] ?? '',
  );
  return [...new Set(commands)].map(wordsOf);
}

/** The lines of its blocks, each with those that continue it. */
function linesIn(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/ \\\n\s*/g, ' ');
  return [...text.matchAll(/^```\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.trim().split('\n'));
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

test.each(DOCUMENTS.filter((document) => commandsIn(document).length > 0))(
  '%s names only commands that exist',
  async (document) => {
    const examples: Readonly<Record<string, string>> = {
      '<group>': '184467',
      '<id>': '184467',
      '<number>': '5',
      '<time>': '2h',
    };
    for (const words of commandsIn(document)) {
      // Without its options it is a name in a sentence.
      if (words.includes('…') || words.every((word) => /^[a-z]+$/.test(word))) continue;
      const program = await loadProgram();
      const run: string[] = [];
      for (const command of withAllBelow(program)) {
        command.exitOverride().configureOutput({ writeErr: () => {} });
        if (command.commands.length === 0) command.action(() => void run.push(command.name()));
      }

      await program.parseAsync(
        words.map((word) => examples[word] ?? word),
        { from: 'user' },
      );

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

test('each command of docs/troubleshooting.md for a feed on this machine runs on a source that is held', async () => {
  const commands = commandsIn('docs/troubleshooting.md').filter((words) => words.includes('--data'));
  const given: Readonly<Record<string, string>> = { state: data, '184467': group };

  for (const words of commands) {
    const filled = words.map((word) => given[word] ?? word);
    const { code, stderr } = await runFeed(asks(words) ? [...filled, '--yes'] : filled);

    expect([0, 3], `${words.join(' ')}: ${stderr}`).toContain(code);
  }
  expect(commands.length).toBeGreaterThan(5);
});

test('the commands of docs/first-hour.md run in their order, and its receiver gets a delivered parcel', async () => {
  const own = await createReferenceService({
    groups: 60,
    token: TOKEN,
    life: false,
    knobs: { rateLimit: 0 },
  });
  const port = await freePort();
  const given: Readonly<Record<string, string>> = {
    'https://returns.example.com/api': own.url,
    '--data state': `--data ${join(directory, 'first-hour')}`,
    '=…': `=${TOKEN}`,
    '3000': String(port),
  };
  const lines = linesIn('docs/first-hour.md').map((line) =>
    Object.entries(given).reduce((filled, [word, value]) => filled.replaceAll(word, value), line),
  );
  // How a line begins that goes on until Ctrl-C, and when its reader goes on to the next one.
  const lasting: Readonly<Record<string, (output: string) => boolean | Promise<boolean>>> = {
    'npm start': (output) => output.includes('baseline complete'),
    'npx --no returns-feed watch': (output) => /baseline complete|forwarding to/.test(output),
    'npx --no returns-feed console': (output) => /http:\S+token=/.test(output),
    'PORT=': () => canConnect(port),
  };

  const running = new Map<string, Shell>();
  const ended: Record<string, number | null> = {};
  let exports = '';
  let received = '';
  try {
    for (const line of lines) {
      if (line.startsWith('export ')) exports += `${line}\n`;
      const begins = Object.keys(lasting).find((words) => line.startsWith(words)) ?? '';
      await running.get(begins)?.interrupt();
      const shell = startShell(exports + line);
      const isReady = lasting[begins];
      if (isReady === undefined) {
        const code = await shell.ended;
        ended[`${line}\n${shell.output()}`] = code;
      } else {
        running.set(begins, shell);
        await until(() => isReady(shell.output()));
      }
    }
    const output = () => running.get('PORT=')?.output() ?? '';
    const { length } = output();
    const travelling = own.control
      .snapshot()
      .find(({ shipments }) => shipments.some(({ status }) => status === 'IN_TRANSIT'));
    own.control.mutate(Number(travelling?.id), 'shipment.delivered');
    await until(() => output().length > length);
    received = output().slice(length);
  } finally {
    for (const shell of running.values()) await shell.interrupt();
    await own.close();
  }

  expect(Object.values(ended), JSON.stringify(ended)).toEqual([0, 0, 0, 0]);
  expect(received).toMatch(/^\{"sku":"\S+","quantity":\d+\}$/m);
});

/** Looks repeatedly, for as long as a busy machine may take. */
function until(condition: () => boolean | Promise<boolean>): Promise<unknown> {
  return vi.waitUntil(condition, { timeout: 60_000, interval: 100 });
}
