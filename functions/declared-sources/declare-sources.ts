// Makes the stack's entries in the directory those of its list. All are checked before anything is written, and a repeated
// run completes one that was cut off. What operators set in an entry stays, and so do the entries that commands added.
import { inParallel } from '../../shared/in-parallel.ts';
import { problemOfBudgets } from '../../shared/source/source-settings.ts';
import {
  type Configured,
  type DirectoryEntry,
  type GivenSource,
  type InvalidEntry,
  parseGiven,
  type SourceDirectory,
} from '../adapters/dynamodb-source-directory.ts';

/** The message has a line for each problem, the worst first. */
export class DeclaredSourcesError extends Error {
  override readonly name = 'DeclaredSourcesError';
}

/** Requests under way at once. */
const AT_ONCE = 20;
/** Operators may pause a source while its entry is written. */
const MOST_TRIES = 5;

interface Declared extends Configured {
  readonly given: GivenSource;
}

/** @throws DeclaredSourcesError before anything is written */
export async function declareSources(directory: SourceDirectory, list: readonly unknown[]) {
  const parsed = list.map((given, at) => parseDeclared(given, at));
  const declared = parsed.flatMap((it) => (typeof it === 'string' ? [] : [it]));
  const listed = await directory.list();
  const owned = await inParallel(declared, AT_ONCE, async ({ settings: { name } }) =>
    problemOfOwner(await directory.find(name), name),
  );
  const problems = [
    ...problemsOfNames(declared),
    ...owned.filter((it) => it !== undefined),
    ...parsed.filter((it) => typeof it === 'string'),
    ...problemsOfBudgets(declared, listed),
  ];
  if (problems.length > 0)
    throw new DeclaredSourcesError(
      [`The list of ${list.length} sources is not valid; nothing was changed:`, ...problems].join('\n- '),
    );
  const written = await inParallel(declared, AT_ONCE, (source) => write(directory, source));
  const names = new Set(declared.map(({ settings: { name } }) => name));
  const gone = listed.filter((it) => it.declaredBy === 'stack' && !names.has(it.name));
  await inParallel(gone, AT_ONCE, ({ name }) => remove(directory, name));
  return { declared: names.size, written: written.filter((it) => it).length, removed: gone.length };
}

/** @returns the problem if it is not valid */
function parseDeclared(given: unknown, at: number): Declared | string {
  const parsed = parseGiven(given as GivenSource, 'stack');
  if (!('problem' in parsed)) return { ...parsed, given: given as GivenSource };
  const { name } = Object((given as Partial<GivenSource> | null)?.settings);
  return `Source ${JSON.stringify(name ?? at)}: ${parsed.problem}`;
}

function problemsOfNames(declared: readonly Declared[]): string[] {
  const names = declared.map(({ settings: { name } }) => name);
  const doubled = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return [...doubled].map((name) => `There are two sources "${name}": give each a unique name.`);
}

function problemOfOwner(entry: DirectoryEntry | InvalidEntry | undefined, name: string): string | undefined {
  if (entry?.declaredBy !== 'command') return undefined;
  return `Source "${name}" was added by a command: run "sources remove ${name}" first, and its state stays.`;
}

/** Also counts added sources with the same token. */
function problemsOfBudgets(
  declared: readonly Declared[],
  listed: readonly (DirectoryEntry | InvalidEntry)[],
): string[] {
  const added = listed.filter(
    (it): it is DirectoryEntry => it.declaredBy === 'command' && !('problem' in it),
  );
  const byName = new Map([...added, ...declared].map((source) => [source.settings.name, source]));
  const byToken = Map.groupBy(byName.values(), ({ token }) => JSON.stringify(token));
  return [...byToken.values()].flatMap((sources) => problemOfBudgets(sources.map((it) => it.settings)) ?? []);
}

/** @returns whether the entry was not yet as declared */
async function write(directory: SourceDirectory, { settings: { name }, given }: Declared): Promise<boolean> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const known = await directory.find(name);
    const problem = problemOfOwner(known, name);
    if (problem !== undefined) throw new DeclaredSourcesError(problem);
    if (JSON.stringify(known?.given) === JSON.stringify(given)) return false;
    const entry = { name, declaredBy: 'stack', isPaused: known?.isPaused ?? false, given } as const;
    if ((await directory.save(entry, known?.version ?? 0)) === 'saved') return true;
  }
  throw new DeclaredSourcesError(`Something else keeps writing the entry of source "${name}": deploy again.`);
}

/** The list of entries may be a moment old. */
async function remove(directory: SourceDirectory, name: string): Promise<void> {
  if ((await directory.find(name))?.declaredBy === 'stack') await directory.remove(name);
}
