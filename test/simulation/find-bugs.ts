// `npm run simulate:bugs`: builds the simulation with each deliberate bug, of the feed and of webhooks (bugs.ts of both), and
// runs it until a check fails. Bugs that the simulation does not judge are built into a test. A bug that is not found shows a
// gap. One that no longer fits its file must be made again.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { build, type Plugin } from 'esbuild';
import { startVitest } from 'vitest/node';
import { inParallel } from '../../shared/in-parallel.ts';
import { BUGS_OF_WEBHOOKS } from '../simulation-of-webhooks/bugs.ts';
import { BUGS as BUGS_OF_FEED } from './bugs.ts';

const TEST_TIMEOUT_MS = 90_000;
/** The number of seeds by profile. */
const MOST_SEEDS = { plausible: 500, strange: 200, webhooks: 500 } as const;
type Profile = keyof typeof MOST_SEEDS;

const FEED = 'test/simulation';
const WEBHOOKS = 'test/simulation-of-webhooks';

/** Source texts by path, in place of those in the tree. */
type Texts = ReadonlyMap<string, string>;

interface Case {
  readonly name: string;
  readonly profile: Profile | 'tests';
  /** The seeds of a profile, or the files of tests. */
  readonly among: readonly string[];
  /** The texts with the bug; undefined for the run without one: if that failed, no finding would prove anything. */
  readonly spoil: (() => Promise<Texts>) | undefined;
}

interface Violation {
  readonly seed: number;
  readonly guarantee: string;
  readonly place?: string;
  readonly message: string;
}

const program = new Command('simulate:bugs')
  .description('Checks that the simulations and tests find each deliberate bug.')
  .argument('[names...]', 'only bugs whose profile and name contain one of these')
  .option('--all-seeds', "begin at seed 1 instead of a bug's seed", false)
  .parse();
const wanted = program.args;
const isFromFirst = program.opts<{ readonly allSeeds: boolean }>().allSeeds;

const BUGS = [...BUGS_OF_FEED, ...BUGS_OF_WEBHOOKS];
const all: readonly Case[] = BUGS.map(({ name, edits, profile = 'plausible', seed, test }) => ({
  name,
  ...(test === undefined
    ? { profile, among: [...(isFromFirst || seed === undefined ? [] : [`${seed}`]), allSeeds(profile)] }
    : { profile: 'tests', among: [test] }),
  async spoil() {
    const texts = new Map<string, string>();
    for (const { file, search, replace } of edits) {
      const text = texts.get(resolve(file)) ?? (await readFile(file, 'utf8'));
      if (text.split(search).length !== 2) throw new Error(misfit(file));
      texts.set(
        resolve(file),
        text.replace(search, () => replace),
      );
    }
    return texts;
  },
}));

function allSeeds(profile: Profile): string {
  return `1-${MOST_SEEDS[profile]}`;
}

function misfit(file: string): string {
  return `The bug does not fit ${file}. Make it again.`;
}

/** Loads the given texts in place of the files. */
function inPlaceOfFiles(texts: Texts): Plugin {
  return {
    name: 'bug',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = texts.get(path);
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
    },
  };
}

/** @returns the first violation in words, or undefined if no seed breaks a guarantee */
async function findBySeeds(profile: Profile, seeds: string, texts: Texts): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'bug-'));
  try {
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    const script = join(folder, 'first-violation.mjs');
    await build({
      entryPoints: [join(profile === 'webhooks' ? WEBHOOKS : FEED, 'first-violation.ts')],
      outfile: script,
      plugins: [inPlaceOfFiles(texts)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    });
    const text = await run(script, [profile, seeds]);
    if (text === '') return undefined;
    const violation = JSON.parse(text) as Violation;
    const { seed } = violation;
    // The seeds that are recorded are run without bugs anyway.
    const isProved = texts.size === 0 || seeds.startsWith(`${seed},`);
    if (!isProved && (await findBySeeds(profile, `${seed}`, new Map())) !== undefined)
      throw new Error(`seed ${seed} breaks a guarantee without the bug, too: ${violation.message}`);
    return describe(violation);
  } finally {
    await rm(folder, { recursive: true });
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

/** @returns the name of the first test that fails, or undefined if none does */
async function findByTests(files: readonly string[], texts: Texts): Promise<string | undefined> {
  const vitest = await startVitest(
    'test',
    [],
    {
      ...{ config: false, watch: false, include: [...files], reporters: [{}] },
      ...{ setupFiles: ['test/restore-environment.ts'], testTimeout: TEST_TIMEOUT_MS },
    },
    { plugins: [{ name: 'bug', enforce: 'pre', load: (path) => texts.get(path) }] },
  );
  try {
    const modules = vitest.state.getTestModules();
    const errors = [...vitest.state.getUnhandledErrors(), ...modules.flatMap((each) => each.errors())];
    if (errors.length > 0 || modules.length < files.length)
      throw new Error('the tests could not be run', { cause: errors });
    const failed = modules.flatMap(({ children }) => [...children.allTests('failed')]);
    return failed[0]?.fullName;
  } finally {
    await vitest.close();
  }
}

function printLine(name: string, result: string): void {
  process.stdout.write(`${name.padEnd(88)} ${result}\n`);
}

const MOST_LETTERS = 120;

function describe({ seed, guarantee, place = '', message }: Violation): string {
  return `${guarantee} seed ${seed}: ${place} ${message.split('\n')[0]}`;
}

/** @returns whether the bug was found, or nothing was found without a bug */
async function look({ name, profile, among, spoil }: Case): Promise<boolean> {
  try {
    const texts = (await spoil?.()) ?? new Map();
    const found =
      profile === 'tests' ? await findByTests(among, texts) : await findBySeeds(profile, among.join(), texts);
    const isExpected = (found === undefined) === (spoil === undefined);
    const result = found?.slice(0, MOST_LETTERS) ?? `nothing in ${profile} ${among.join()}`;
    printLine(name, `${isExpected ? '' : 'FAILED: '}${result}`);
    return isExpected;
  } catch (error) {
    printLine(name, `FAILED: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** Without a bug, the seeds and tests that find the bugs must find nothing. */
function withoutBug(profile: Case['profile']): Case {
  return { name: 'no bug', profile, among: thatFindBugs(profile), spoil: undefined };
}

function thatFindBugs(profile: Case['profile']): string[] {
  if (profile === 'tests') return [...new Set(BUGS.flatMap(({ test }) => test ?? []))];
  const own = BUGS.filter((each) => (each.profile ?? 'plausible') === profile);
  const seeds = own.flatMap(({ seed }) => (seed === undefined ? [] : [`${seed}`]));
  return isFromFirst || seeds.length === 0 ? [allSeeds(profile)] : seeds;
}

const chosen = all.filter(
  ({ name, profile }) => wanted.length === 0 || wanted.some((part) => `${profile} ${name}`.includes(part)),
);
const profiles = [...new Set(chosen.map(({ profile }) => profile))];
const outcomes = await inParallel([...profiles.map(withoutBug), ...chosen], availableParallelism(), look);
const failed = outcomes.filter((isExpected) => !isExpected).length;
const summary = `all ${chosen.length} bugs were found, and nothing without them`;
printLine('', failed === 0 ? summary : `${failed} FAILED`);
process.exitCode = failed === 0 ? 0 : 1;
