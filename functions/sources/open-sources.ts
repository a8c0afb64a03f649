// biome-ignore-all lint/performance/noBarrelFile: `returns-change-feed/sources`, which applications import.
// The sources of a deployed feed, for operators and for applications that onboard stores. Adding one is one conditional
// write of its entry. All are checked first, then tried with one request each, then written, so a refusal leaves nothing
// half done. Every call can be repeated.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import type { NamedToken } from '../../shared/deployment/token-names.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import type { GivenSettings } from '../../shared/source/source-settings.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import {
  createDynamoDbSourceDirectory,
  type DirectoryEntry,
  type EntryToSave,
  type InvalidEntry,
  type TokenPlace,
} from '../adapters/dynamodb-source-directory.ts';
import { encryptToken } from '../adapters/encrypted-token.ts';
import { createHttpsTransport } from '../adapters/https-transport.ts';
import { requestLimits } from '../adapters/request-limits.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import {
  changed,
  check,
  checkOwner,
  type Entry,
  hashOf,
  isUnchanged,
  type Planned,
  problemsBetween,
} from './plan-source.ts';
import {
  InvalidSourceError,
  SourceConflictError,
  SourceError,
  type SourceProblem,
  SourcesRefusedError,
  UnknownSourceError,
} from './source-errors.ts';
import { trySource } from './try-source.ts';

export type { NamedToken } from '../../shared/deployment/token-names.ts';
export * from './source-errors.ts';

export interface SourcesOptions {
  /** The stack's output `SourcesTable`. */
  readonly sourcesTable: string;
  /** The stack's output `FeedName`. */
  readonly feedName: string;
  /** The stack's output `TokenKey`, which encrypts tokens. Named tokens need none. */
  readonly tokenKey?: string | undefined;
  /** @default a new one, which `close` closes */
  readonly dynamoDb?: DynamoDBClient | undefined;
  /** @default as above */
  readonly kms?: KMSClient | undefined;
}

/** The settings, of which only `name` and `baseUrl` are needed, and the token. Times are in milliseconds. */
export type NewSource = GivenSettings & {
  /** The token itself, or the name of the secret or SecureString that holds it. */
  readonly token: string | NamedToken;
};

export type SourceChanges = {
  readonly [Setting in Exclude<keyof NewSource, 'name'>]?: NewSource[Setting] | undefined;
};

export interface WriteOptions {
  /** Whether a source whose token is given is read with one request before it is written. @default true */
  readonly isTried?: boolean | undefined;
  readonly onProgress?: ((step: 'tried' | 'written', done: number, of: number) => void) | undefined;
}

/** What became of each source, by name. An unchanged one was not written. */
export interface Written {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
}

/** An entry without its token: `encrypted` if the entry has it. One that can't be used has a `problem`, no settings. */
export type ListedSource =
  | (Pick<DirectoryEntry, 'name' | 'declaredBy' | 'isPaused' | 'settings'> & {
      readonly token: NamedToken | 'encrypted';
    })
  | Pick<InvalidEntry, 'name' | 'declaredBy' | 'isPaused' | 'problem'>;

/** Every method throws a {@link SourceError} that says what is wrong, or what the SDK of AWS throws. */
export interface Sources {
  /** Adds a source, or replaces the settings of one that was added. */
  add(source: NewSource, options?: WriteOptions): Promise<Written>;
  /** The same for many. @throws SourcesRefusedError with all problems */
  addAll(sources: readonly NewSource[], options?: WriteOptions): Promise<Written>;
  /** Changes only the given settings. Another host needs the token again. */
  set(name: string, changes: SourceChanges, options?: WriteOptions): Promise<Written>;
  /** Replaces the token, once the new one was tried. */
  rotateToken(name: string, token: string, options?: WriteOptions): Promise<Written>;
  /** Stops its polls. @returns whether it was polled before */
  pause(name: string): Promise<boolean>;
  /** @returns whether it was paused before */
  resume(name: string): Promise<boolean>;
  /** Ends it. Its state and its numbers stay: if it is added again, it goes on. */
  remove(name: string): Promise<void>;
  /** By name; a change of a moment ago may not show yet. */
  list(): Promise<ListedSource[]>;
  close(): void;
}

/** Requests to AWS and to services at a time. */
const AT_ONCE = 20;
const NO_KEY =
  'The feed has no key that encrypts tokens. Set addSources of its construct and deploy it again, or store the token in ' +
  'a secret and name that.';

export function openSources({ sourcesTable, feedName, tokenKey, ...clients }: SourcesOptions): Sources {
  const client = clients.dynamoDb ?? createDynamoDbClient();
  const kms = clients.kms ?? new KMSClient({ requestHandler: requestLimits(5_000) });
  const transport = createHttpsTransport();
  const tables = { sources: sourcesTable };
  const directory = createDynamoDbSourceDirectory({ client, tables, clock: createSystemClock() });

  async function find(name: string): Promise<Entry> {
    const entry = await directory.find(name);
    if (entry === undefined) throw new UnknownSourceError(`There is no source "${name}".`);
    return entry;
  }

  async function findOwn(name: string): Promise<Entry> {
    const entry = await find(name);
    checkOwner(entry);
    return entry;
  }

  async function save(entry: EntryToSave, version: number): Promise<void> {
    if ((await directory.save(entry, version)) === 'saved') return;
    throw new SourceConflictError(`Source "${entry.name}" was changed at the same moment: try again.`);
  }

  async function write({ settings, token, entry }: Planned): Promise<void> {
    const { name } = settings;
    const present = entry ?? (await directory.find(name));
    checkOwner(present);
    const { isPaused = false, version = 0, given } = present ?? {};
    const place = typeof token === 'string' ? await encrypt(settings, token) : token;
    await save(
      { name, declaredBy: 'command', isPaused, given: { ...given, settings, token: place } },
      version,
    );
  }

  async function encrypt(settings: GivenSettings, token: string): Promise<TokenPlace> {
    if (tokenKey === undefined) throw new InvalidSourceError(NO_KEY);
    const key = { client: kms, keyId: tokenKey };
    const encrypted = await encryptToken(key, { feed: feedName, settings }, token);
    return { encrypted, hash: hashOf(settings, token) };
  }

  async function writeAll(
    given: readonly Planned[],
    { isTried = true, onProgress }: WriteOptions = {},
  ): Promise<Written> {
    const entries = new Map((await directory.list()).map((entry) => [entry.name, entry]));
    const entryOf = ({ entry, settings }: Planned) => entry ?? entries.get(settings.name);
    const planned = await each(given, async (source) => {
      checkOwner(entryOf(source));
      const checked = check(feedName, source);
      if (typeof checked.token === 'string' && tokenKey === undefined) throw new InvalidSourceError(NO_KEY);
      return checked;
    });
    refuse(problemsBetween(planned, [...entries.values()]));
    const isSame = (source: Planned) => isUnchanged(source, entryOf(source));
    const others = new Set(planned.filter((source) => !isSame(source)));
    const toTry = new Set(planned.filter((source) => others.has(source) && typeof source.token === 'string'));
    let tried = 0;
    if (isTried)
      await each(planned, async (source) => {
        if (!toTry.has(source)) return;
        await trySource(source.settings, String(source.token), transport);
        onProgress?.('tried', ++tried, toTry.size);
      });
    let written = 0;
    await inParallel([...others], AT_ONCE, async (source) => {
      await write(source);
      onProgress?.('written', ++written, others.size);
    });
    return {
      added: namesOf([...others].filter((source) => entryOf(source) === undefined)),
      changed: namesOf([...others].filter((source) => entryOf(source) !== undefined)),
      unchanged: namesOf(planned.filter(isSame)),
    };
  }

  async function setPaused(name: string, isPaused: boolean): Promise<boolean> {
    const entry = await find(name);
    if (entry.isPaused !== isPaused) await save({ ...entry, isPaused }, entry.version);
    return entry.isPaused !== isPaused;
  }

  async function set(name: string, changes: SourceChanges, options?: WriteOptions): Promise<Written> {
    const entry = await findOwn(name);
    return single(writeAll([changed(entry, changes)], options));
  }

  return {
    set,
    async add({ token, ...settings }, options) {
      const entry = await directory.find(settings.name);
      return single(writeAll([{ settings, token, entry }], options));
    },
    addAll: (sources, options) =>
      writeAll(
        sources.map(({ token, ...settings }) => ({ settings, token })),
        options,
      ),
    rotateToken: (name, token, options) => set(name, { token }, options),
    pause: (name) => setPaused(name, true),
    resume: (name) => setPaused(name, false),
    async remove(name) {
      await findOwn(name);
      await directory.remove(name);
    },
    list: async () => (await directory.list()).map(withoutToken),
    close() {
      if (clients.dynamoDb === undefined) client.destroy();
      if (clients.kms === undefined) kms.destroy();
      transport.close();
    },
  };
}

/** Works on all, whatever is wrong with one. @throws SourcesRefusedError with all problems */
async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const problems: SourceProblem[] = [];
  const results = await inParallel([...items.entries()], AT_ONCE, async ([index, item]) => {
    try {
      return [await work(item)];
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      problems.push({ index, error });
      return [];
    }
  });
  refuse(problems);
  return results.flat();
}

function refuse(problems: readonly SourceProblem[]): void {
  if (problems.length > 0) throw new SourcesRefusedError(problems.toSorted((a, b) => a.index - b.index));
}

/** The error of one source as itself. */
async function single(writing: Promise<Written>): Promise<Written> {
  try {
    return await writing;
  } catch (error) {
    throw error instanceof SourcesRefusedError ? (error.problems[0]?.error ?? error) : error;
  }
}

function namesOf(sources: readonly Planned[]): string[] {
  return sources.map(({ settings }) => settings.name);
}

function withoutToken({ name, declaredBy, isPaused, ...entry }: Entry): ListedSource {
  const listed = { name, declaredBy, isPaused };
  if ('problem' in entry) return { ...listed, problem: entry.problem };
  return {
    ...listed,
    settings: entry.settings,
    token: 'encrypted' in entry.token ? 'encrypted' : entry.token,
  };
}
