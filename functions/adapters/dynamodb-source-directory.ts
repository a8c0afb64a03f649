// The sources as data: one item each, in the table of their states, with an index that lists them. An entry holds the
// source's settings as given, so that defaults stay the release's, and the place of its token, never the token in clear.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';
import { TABLES } from '../../shared/deployment/tables.ts';
import { parseJson } from '../../shared/parse-json.ts';
import type { SaveResult } from '../../shared/ports.ts';
import { InvalidBaseUrlError, parseBaseUrl } from '../../shared/returns-service/base-url.ts';
import { DEFAULTS_OF_ADDED, sourceSettings } from '../../shared/source/source-settings.ts';
import { numberValue, type StoredItem, storedNumber, storedText } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { queryItems } from './dynamodb-pages.ts';
import { putNextVersion } from './dynamodb-versioned-item.ts';
import { problemsOf } from './parse-environment.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

/**
 * A secret of Secrets Manager, a SecureString of SSM, or the token itself, encrypted by the feed's key (base64), with a
 * one-way hash by which the same token is known again.
 */
export const tokenPlace = z.union([
  z.object({ secretId: z.string().min(1) }).strict(),
  z.object({ parameter: z.string().min(1) }).strict(),
  z.object({ encrypted: z.base64().min(1), hash: z.string().optional() }).strict(),
]);

export type TokenPlace = z.output<typeof tokenPlace>;

const settings = sourceSettings.check(({ value, issues }) => {
  try {
    parseBaseUrl(value.baseUrl);
  } catch (error) {
    if (!(error instanceof InvalidBaseUrlError)) throw error;
    issues.push({ code: 'custom', message: error.message, input: value.baseUrl, path: ['baseUrl'] });
  }
});

const configured = z.object({
  settings,
  token: tokenPlace,
  /** Whether the source has a metric and an alarm of its own. */
  alarm: z.boolean().default(false),
});

/** A source's settings, token and alarm, with all defaults. */
export type Configured = z.output<typeof configured>;
/** The same as given. */
export type GivenSource = z.input<typeof configured>;

export interface DirectoryEntry extends Configured {
  readonly name: string;
  /** The entry's own version: counts its changes. */
  readonly version: number;
  /** The owner: the stack that declares it, or `sources add`. */
  readonly declaredBy: DeclaredBy;
  /** Operators have stopped its polls. */
  readonly isPaused: boolean;
  /** The entry as written, without defaults. */
  readonly given: GivenSource;
}

export type DeclaredBy = 'stack' | 'command';

/** An entry that can't be used, and why. */
export interface InvalidEntry
  extends Pick<DirectoryEntry, 'name' | 'version' | 'declaredBy' | 'isPaused' | 'given'> {
  readonly problem: string;
}

export interface EntryToSave extends Pick<DirectoryEntry, 'name' | 'declaredBy' | 'isPaused'> {
  readonly given: GivenSource;
}

export interface SourceDirectory {
  /** All entries by name; from the index, so a change of a moment ago may not show yet. */
  list(): Promise<(DirectoryEntry | InvalidEntry)[]>;
  /** Strongly consistent; undefined if there is none: the source was removed, or never existed. */
  find(name: string): Promise<DirectoryEntry | InvalidEntry | undefined>;
  /** Writes the entry if its version still is `expectedVersion` (0: if there is none). */
  save(entry: EntryToSave, expectedVersion: number): Promise<SaveResult>;
  /** Deletes the entry; the source's state stays. */
  remove(name: string): Promise<void>;
}

const FORMAT = 1;
const PREFIX = 'directory/';
const LISTED = 'sources';

export function createDynamoDbSourceDirectory(options: TableAccess<'sources'>): SourceDirectory {
  const { client, tables } = options;
  return {
    async list() {
      const entries: (DirectoryEntry | InvalidEntry)[] = [];
      for await (const item of listed(client, tables.sources)) entries.push(readListed(item));
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async find(name) {
      const item = await readItem(client, tables.sources, keyOf(name));
      return item && readEntry(item);
    },

    save({ name, declaredBy, isPaused, given }, expectedVersion) {
      const attributes = {
        ...formatAttribute(FORMAT),
        d: { S: LISTED },
        o: { S: declaredBy },
        p: numberValue(isPaused ? 1 : 0),
        b: { S: JSON.stringify(given) },
      };
      return putNextVersion(
        options,
        { table: tables.sources, key: PREFIX + name, attributes },
        expectedVersion,
      );
    },

    async remove(name) {
      await client.send(new DeleteItemCommand({ TableName: tables.sources, Key: keyOf(name) }));
    },
  };
}

function keyOf(name: string) {
  return { k: { S: PREFIX + name } };
}

function listed(client: DynamoDBClient, table: string): AsyncGenerator<StoredItem> {
  return queryItems(client, {
    TableName: table,
    IndexName: TABLES.sources.index.name,
    KeyConditionExpression: 'd = :listed',
    ExpressionAttributeValues: { ':listed': { S: LISTED } },
  });
}

const format1 = z
  .object({
    k: storedText.refine((key) => key.startsWith(PREFIX) && SOURCE_NAME.test(key.slice(PREFIX.length))),
    n: storedNumber,
    o: storedText.pipe(z.enum(['stack', 'command'])),
    p: storedNumber,
    b: storedText,
  })
  .transform(({ k, n: version, o: declaredBy, p, b: body }) => ({
    ...{ name: k.slice(PREFIX.length), version, declaredBy, isPaused: p === 1, body },
  }));

const READERS = { [FORMAT]: (item: StoredItem) => format1.parse(item) };

/** @throws UnreadableItemError */
function readEntry(item: StoredItem): DirectoryEntry | InvalidEntry {
  const { body, ...stored } = readStored(item, READERS);
  const given = parseJson(body) as GivenSource;
  const entry = { ...stored, given };
  const parsed = parseGiven(given, stored.declaredBy);
  if ('problem' in parsed) return { ...entry, ...parsed };
  if (parsed.settings.name !== entry.name)
    return { ...entry, problem: `settings.name is ${parsed.settings.name}.` };
  return { ...entry, ...parsed };
}

/** A source as given, with all defaults; or what is wrong with it. */
export function parseGiven(
  given: GivenSource,
  declaredBy: DeclaredBy,
): Configured | Pick<InvalidEntry, 'problem'> {
  const defaults = declaredBy === 'command' ? DEFAULTS_OF_ADDED : {};
  const parsed = configured.safeParse({ ...given, settings: { ...defaults, ...given?.settings } });
  return parsed.success ? parsed.data : { problem: `${problemsOf(parsed.error)}.` };
}

/** One entry of another release, or that is damaged, must not hide all others. */
function readListed(item: StoredItem): DirectoryEntry | InvalidEntry {
  try {
    return readEntry(item);
  } catch (error) {
    if (!(error instanceof UnreadableItemError)) throw error;
    const name = item.k?.S?.slice(PREFIX.length) ?? '';
    const unknown = {
      name,
      version: 0,
      declaredBy: 'command',
      isPaused: false,
      given: {} as GivenSource,
    } as const;
    return { ...unknown, problem: error.message };
  }
}
