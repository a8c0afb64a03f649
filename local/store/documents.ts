// What is read and written as a whole under a name: the state of each source, the lease of its operators' searches, the
// state of each endpoint, the list of forwarded URLs, the options of the last `watch`, the readers of the pull feed. A
// write names the version that it follows.
import * as z from 'zod';
import { type EventFilter, eventFilter } from '../../shared/contract/event-filter.ts';
import { MESSAGE_SHAPES, type MessageShape } from '../../shared/deployment/message-shape.ts';
import type { SaveResult, Searches, SourceStates } from '../../shared/ports.ts';
import { type Readers, readerBody } from '../../shared/pulling/reader.ts';
import { sourceStateBody } from '../../shared/source/source-state.ts';
import { endpointStateBody } from '../../shared/webhooks/endpoint-state.ts';
import type { EndpointStates } from '../../shared/webhooks/webhook-ports.ts';
import { type Connection, emptyWal } from './connection.ts';
import { BODY, parseBody, toJson } from './json-body.ts';

type Kind = 'source' | 'search' | 'endpoint' | 'forwards' | 'start' | 'reader';

/** A URL that `watch` forwards to. */
export interface ForwardedUrl {
  /** The name of its marks and of its endpoint's state. */
  readonly id: string;
  /** The URL without what may be a secret. */
  readonly address: string;
  readonly filter: EventFilter;
  /** @default 'event' */
  readonly shape?: MessageShape | undefined;
  /** Whether the last `watch` was started without it, while it lacked events. */
  readonly isDropped?: boolean | undefined;
}

/** An option of a command line. */
export interface GivenOption {
  /** For instance `--every`; a variable of the environment that was set stands here by its name. */
  readonly name: string;
  /** Null for an option without a value. */
  readonly value: string | null;
}

interface Documents {
  load<Body>(
    kind: Kind,
    name: string,
    body: z.ZodType<Body>,
  ): Promise<{ readonly version: number; readonly body: Body } | undefined>;
  save(kind: Kind, name: string, body: object, expectedVersion: number): Promise<SaveResult>;
  remove(kind: Kind, name: string): Promise<boolean>;
  /** Sorted. */
  names(kind: Kind): Promise<string[]>;
  /** Resolves once all that was saved is in the database itself. */
  settle(): Promise<void>;
}

const SELECT = `SELECT version, ${BODY} FROM documents WHERE kind = ? AND name = ?`;

export function createDocuments({ read, write }: Connection): Documents {
  return {
    async load(kind, name, body) {
      const row = await read((sql) => sql.get(SELECT, kind, name));
      if (row === undefined) return undefined;
      return { version: Number(row.version), body: parseBody(body, row.body, `The ${kind} "${name}"`) };
    },
    save(kind, name, body, expectedVersion) {
      const bytes = toJson(body);
      return write((sql) => {
        const written =
          expectedVersion === 0
            ? sql.run('INSERT INTO documents VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING', kind, name, bytes)
            : sql.run(
                'UPDATE documents SET version = version + 1, body = ? WHERE kind = ? AND name = ? AND version = ?',
                bytes,
                kind,
                name,
                expectedVersion,
              );
        return written === 1 ? 'saved' : 'conflict';
      });
    },
    remove: (kind, name) =>
      write((sql) => sql.run('DELETE FROM documents WHERE kind = ? AND name = ?', kind, name) === 1),
    names: (kind) =>
      read((sql) =>
        sql
          .all('SELECT name FROM documents WHERE kind = ? ORDER BY name', kind)
          .map(({ name }) => String(name)),
      ),
    settle: () => read(emptyWal),
  };
}

/** @param identity see {@link SourceStates.identity} */
export function createSourceStates(
  documents: Documents,
  identity: SourceStates['identity'],
): SourceStates & { list(): Promise<string[]> } {
  return {
    async load(source) {
      const stored = await documents.load('source', source, sourceStateBody);
      return stored && { source, version: stored.version, ...stored.body };
    },
    async save({ source, version, ...body }, expectedVersion) {
      if (version !== expectedVersion + 1)
        throw new RangeError(`State ${version} of source "${source}" can't follow ${expectedVersion}.`);
      const result = await documents.save('source', source, body, expectedVersion);
      // A source that is known stops when the WAL is lost; one that went with the WAL would begin anew.
      if (expectedVersion === 0) await documents.settle();
      return result;
    },
    identity,
    list: () => documents.names('source'),
  };
}

const searchBody = z.object({ expiresAt: z.number(), sentAt: z.array(z.number()) });

export function createSearches(documents: Documents): Searches {
  return {
    async load(source) {
      const stored = await documents.load('search', source, searchBody);
      if (stored === undefined) return { version: 0, expiresAt: 0, sentAt: [] };
      return { version: stored.version, ...stored.body };
    },
    save: (source, { expiresAt, sentAt }, expectedVersion) =>
      documents.save('search', source, { expiresAt, sentAt }, expectedVersion),
  };
}

export function createEndpointStates(documents: Documents): EndpointStates {
  return {
    async load(webhook) {
      const stored = await documents.load('endpoint', webhook, endpointStateBody);
      return stored && { ...stored.body, version: stored.version };
    },
    save: (webhook, { version: _, ...body }, expectedVersion) =>
      documents.save('endpoint', webhook, body, expectedVersion),
  };
}

const forwardsBody = z.object({
  urls: z.array(
    z.object({
      ...{ id: z.string(), address: z.string(), filter: eventFilter },
      ...{ shape: z.enum(MESSAGE_SHAPES).optional(), isDropped: z.boolean().optional() },
    }),
  ),
});

/** The URLs of the `watch` that runs, or ran last, and those that an earlier one left without all events. */
export function createForwards(documents: Documents) {
  const load = async () => {
    const stored = await documents.load('forwards', '', forwardsBody);
    return stored && { version: stored.version, ...stored.body };
  };
  return {
    list: async (): Promise<readonly ForwardedUrl[]> => (await load())?.urls ?? [],
    async replace(urls: readonly ForwardedUrl[]): Promise<void> {
      await documents.save('forwards', '', { urls }, (await load())?.version ?? 0);
    },
  };
}

const startBody = z.object({
  options: z.array(z.object({ name: z.string(), value: z.string().nullable() })),
  /** Whether a later configuration of the same directory has the source no more. */
  isRemoved: z.boolean().optional(),
});

/** The last `watch` of a source. */
export type Start = z.output<typeof startBody>;

/** The last `watch` of each source. */
export function createStarts(documents: Documents) {
  const load = (source: string) => documents.load('start', source, startBody);
  return {
    /** Undefined before the first start. */
    load: async (source: string): Promise<Start | undefined> => (await load(source))?.body,
    async save(source: string, start: Start): Promise<void> {
      await documents.save('start', source, start, (await load(source))?.version ?? 0);
    },
  };
}

/** The readers of the pull feed. */
export function createReaders(documents: Documents): Readers {
  const load = (name: string) => documents.load('reader', name, readerBody);
  return {
    async list() {
      const names = await documents.names('reader');
      const readers = await Promise.all(names.map(async (name) => [name, await load(name)] as const));
      // One may be removed meanwhile.
      return new Map(
        readers.flatMap(([name, stored]) => (stored === undefined ? [] : [[name, stored.body]])),
      );
    },
    load: async (name) => (await load(name))?.body,
    add: async (name, reader) => (await documents.save('reader', name, reader, 0)) === 'saved',
    async change(name, to) {
      for (;;) {
        const stored = await load(name);
        if (stored === undefined) return undefined;
        const changed = to(stored.body);
        if ((await documents.save('reader', name, changed, stored.version)) === 'saved') return changed;
      }
    },
    remove: (name) => documents.remove('reader', name),
  };
}
