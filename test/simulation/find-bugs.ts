// `npm run simulate:bugs`: puts each deliberate bug, of the feed (bugs.ts) and of webhooks
// (test/simulation-of-webhooks/bugs/*.patch), into a copy of the tree and runs its simulation. A bug that is not found
// shows a gap in the simulation. One that no longer fits its file must be made again.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { build } from 'esbuild';
import { inParallel } from '../../shared/in-parallel.ts';
import { BUGS } from './bugs.ts';

/** The number of seeds by profile. */
const MOST_SEEDS = { plausible: 500, strange: 200, webhooks: 500 } as const;
type Profile = keyof typeof MOST_SEEDS;

const FRAME = 'test/simulation-frame';
const FEED = 'test/simulation';
const WEBHOOKS = 'test/simulation-of-webhooks';
/** The files that a simulation needs. */
const COPIED = ['package.json', 'functions', 'local', 'shared', 'test/fakes', FRAME, FEED, WEBHOOKS];

interface Case {
  readonly name: string;
  readonly profile: Profile;
  /** Puts the bug into a tree; undefined for the run without one: if that failed, no finding would prove anything. */
  readonly spoil: ((tree: string) => Promise<void>) | undefined;
}

interface Found {
  readonly seed: number;
  readonly guarantee: string;
  readonly place?: string;
  readonly message: string;
}

const bugsOfFeed: readonly Case[] = BUGS.map(({ name, file, search, replace, profile = 'plausible' }) => ({
  name,
  profile,
  spoil: (tree) =>
    edit(tree, file, (text) =>
      text.split(search).length === 2 ? text.replace(search, () => replace) : undefined,
    ),
}));

async function bugsOfWebhooks(): Promise<Case[]> {
  const files = await readdir(join(WEBHOOKS, 'bugs'));
  const patches = files.filter((file) => file.endsWith('.patch')).sort();
  return patches.map((file) => ({
    name: basename(file, '.patch'),
    profile: 'webhooks',
    async spoil(tree) {
      for (const part of parsePatch(await readFile(join(WEBHOOKS, 'bugs', file), 'utf8'))) {
        const path = part.newFileName?.replace(/^b\//, '') ?? '';
        await edit(tree, path, (text) => applyPatch(text, part) || undefined);
      }
    },
  }));
}

/** @throws Error if the change does not fit the file */
async function edit(tree: string, file: string, change: (text: string) => string | undefined): Promise<void> {
  const path = join(tree, file);
  const changed = change(await readFile(path, 'utf8'));
  if (changed === undefined) throw new Error(`The bug does not fit ${file}. Make it again.`);
  await writeFile(path, changed);
}

/** @returns the first violation, or undefined if no seed breaks a guarantee */
async function findBug({ profile, spoil }: Case): Promise<Found | undefined> {
  const tree = await mkdtemp(join(tmpdir(), 'bug-'));
  try {
    for (const path of COPIED) await cp(path, join(tree, path), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(tree, 'node_modules'));
    await spoil?.(tree);
    const script = join(tree, 'first-violation.mjs');
    await build({
      entryPoints: [join(tree, profile === 'webhooks' ? WEBHOOKS : FEED, 'first-violation.ts')],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    });
    const text = await run(script, [profile, String(MOST_SEEDS[profile])]);
    return text === '' ? undefined : (JSON.parse(text) as Found);
  } finally {
    await rm(tree, { recursive: true });
  }
}

function run(script: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const flags = ['--single-threaded', '--max-semi-space-size=64'];
    const child = spawn(process.execPath, [...flags, script, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`the simulation ended with code ${code}`)),
    );
  });
}

function printLine(name: string, result: string): void {
  process.stdout.write(`${name.padEnd(88)} ${result}\n`);
}

const MOST_LETTERS = 120;

function describe({ seed, guarantee, place = '', message }: Found): string {
  return `${guarantee} seed ${seed}: ${place} ${message.split('\n')[0]}`.slice(0, MOST_LETTERS);
}

/** @returns whether the bug was found, or nothing was found without a bug */
async function look(bug: Case): Promise<boolean> {
  try {
    const found = await findBug(bug);
    const isExpected = (found === undefined) === (bug.spoil === undefined);
    const result = found ? describe(found) : `nothing in ${MOST_SEEDS[bug.profile]} seeds of ${bug.profile}`;
    printLine(bug.name, `${isExpected ? '' : 'FAILED: '}${result}`);
    return isExpected;
  } catch (error) {
    printLine(bug.name, `FAILED: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

const wanted = process.argv.slice(2);
const all = [...bugsOfFeed, ...(await bugsOfWebhooks())];
const chosen = all.filter(
  ({ name, profile }) => wanted.length === 0 || wanted.some((part) => `${profile} ${name}`.includes(part)),
);
const profiles = [...new Set(chosen.map(({ profile }) => profile))];
const without = profiles.map((profile): Case => ({ name: 'no bug', profile, spoil: undefined }));
const outcomes = await inParallel([...without, ...chosen], availableParallelism(), look);
const failed = outcomes.filter((isExpected) => !isExpected).length;
const summary = `all ${chosen.length} bugs were found, and nothing without them`;
printLine('', failed === 0 ? summary : `${failed} FAILED`);
process.exitCode = failed === 0 ? 0 : 1;
