// `npm run simulate:bugs`: applies each deliberate bug of bugs/*.patch to a copy of the tree and runs its simulation,
// of the feed or of webhooks. A bug that is not found shows a gap in the simulation. A patch that no longer applies
// must be made again.
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { build } from 'esbuild';
import { inParallel } from '../../shared/in-parallel.ts';

/**
 * The number of seeds by profile. Each seed of `guards`, `look-ups` and `open-groups` has the case that the profile is
 * named after, so fewer suffice.
 */
const MOST_SEEDS: Readonly<Record<string, number>> = {
  everything: 500,
  polls: 500,
  guards: 100,
  'look-ups': 100,
  'open-groups': 30,
  webhooks: 500,
};
const FRAME = 'test/simulation-frame';
const FEED = 'test/simulation';
const WEBHOOKS = 'test/simulation-of-webhooks';
/** The files that a simulation needs. */
const COPIED = ['package.json', 'functions', 'local', 'shared', 'test/fakes', FRAME, FEED, WEBHOOKS];

interface Bug {
  readonly name: string;
  readonly patch: string;
  readonly profile: string;
}

/** The run without a bug. If it had a violation, no finding would prove anything. */
const NO_BUGS: readonly Bug[] = Object.keys(MOST_SEEDS).map((profile) => ({
  name: 'no bug',
  patch: '',
  profile,
}));

interface Found {
  readonly seed: number;
  readonly guarantee: string;
  readonly place?: string;
  readonly message: string;
}

async function readBug(path: string): Promise<Bug> {
  const patch = await readFile(path, 'utf8');
  const profile = /^Profile: ([\w-]+)$/m.exec(patch)?.[1] ?? 'everything';
  return { name: basename(path, '.patch'), patch, profile };
}

/** @throws Error if a part of the patch does not apply to its file */
async function applyTo(tree: string, { name, patch }: Bug): Promise<void> {
  for (const part of patch === '' ? [] : parsePatch(patch)) {
    const path = part.newFileName?.replace(/^b\//, '');
    if (path === undefined) throw new Error(`${name} names no file.`);
    const changed = applyPatch(await readFile(join(tree, path), 'utf8'), part);
    if (changed === false) throw new Error(`${name} does not apply to ${path}. Make the patch again.`);
    await writeFile(join(tree, path), changed);
  }
}

function mostSeedsOf({ profile }: Bug): number {
  return MOST_SEEDS[profile] ?? 0;
}

/** @returns the first violation, or undefined if no seed breaks a guarantee */
async function findBug(bug: Bug): Promise<Found | undefined> {
  const tree = await mkdtemp(join(tmpdir(), 'bug-'));
  try {
    for (const path of COPIED) await cp(path, join(tree, path), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(tree, 'node_modules'));
    await applyTo(tree, bug);
    const script = join(tree, 'first-violation.mjs');
    await build({
      entryPoints: [join(tree, bug.profile === 'webhooks' ? WEBHOOKS : FEED, 'first-violation.ts')],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    });
    const text = await run(script, [bug.profile, String(mostSeedsOf(bug))]);
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
  process.stdout.write(`${name.padEnd(48)} ${result}\n`);
}

function describe({ seed, guarantee, place = '', message }: Found, profile: string): string {
  const [summary] = `${place} ${message}`.split('\n');
  return `${guarantee} seed ${String(seed).padStart(3)} of ${profile}: ${summary}`.slice(0, MOST_LETTERS);
}

const MOST_LETTERS = 120;

/** @returns whether the bug was found, or nothing was found without a bug */
async function look(bug: Bug): Promise<boolean> {
  try {
    const found = await findBug(bug);
    const nothing = `nothing in ${mostSeedsOf(bug)} seeds of ${bug.profile}`;
    const isExpected = (found === undefined) === (bug.patch === '');
    printLine(bug.name, `${isExpected ? '' : 'FAILED: '}${found ? describe(found, bug.profile) : nothing}`);
    return isExpected;
  } catch (error) {
    printLine(bug.name, `FAILED: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function patchesOf(simulation: string): Promise<string[]> {
  const files = await readdir(join(simulation, 'bugs'));
  return files
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => join(simulation, 'bugs', file));
}

const wanted = process.argv.slice(2);
const paths = (await Promise.all([FEED, WEBHOOKS].map(patchesOf))).flat();
const all = await Promise.all(paths.map(readBug));
const chosen = all.filter(
  ({ name, profile }) => wanted.length === 0 || wanted.some((part) => `${profile} ${name}`.includes(part)),
);
const profiles = new Set(chosen.map(({ profile }) => profile));
const bugs = [...NO_BUGS.filter(({ profile }) => profiles.has(profile)), ...chosen];
const outcomes = await inParallel(bugs, availableParallelism(), look);
const failed = outcomes.filter((isExpected) => !isExpected).length;
printLine(
  '',
  failed === 0 ? `all ${chosen.length} bugs were found, and nothing without them` : `${failed} FAILED`,
);
process.exitCode = failed === 0 ? 0 : 1;
