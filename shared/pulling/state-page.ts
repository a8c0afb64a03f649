// `/state` of a reader: the present state of each return in pages, for a client that starts, or was away for too long.
import * as z from 'zod';
import type { Instant } from '../instant.ts';
import type { Clock, SnapshotStore, SourceStates } from '../ports.ts';
import { type ReturnPlace, readReturns } from './known-returns.ts';

/** The returns that a feed knows. */
export interface KnownReturns {
  readonly snapshots: Pick<SnapshotStore, 'load' | 'knownCreatedBetween'>;
  readonly states: Pick<SourceStates, 'load'>;
  /** The names of the sources that have a state, sorted. */
  sources(): Promise<readonly string[]>;
}

export interface StatePage {
  /** Each return as JSON. */
  readonly rows: readonly string[];
  /** The offset to go on from: of the moment before the first page. */
  readonly offset: string;
  /** The token of the next page; undefined at the end. */
  readonly next: string | undefined;
}

/** A page ends at so many characters: AWS Lambda takes answers of 6 MB. */
const PAGE_CHARACTERS = 1_024 * 1_024;

const pageToken = z.object({
  offset: z.string(),
  /** When the first page was read. */
  begunAt: z.int(),
  source: z.string(),
  after: z.object({ createdAt: z.number(), groupId: z.number() }).optional(),
});
type PageToken = z.output<typeof pageToken>;

/** Thrown while a source is read for the first time: returns that it has not read yet would be missing. */
export class BaselineUnderWay extends Error {
  override readonly name = 'BaselineUnderWay';

  constructor(source: string) {
    super(`The source ${source} is being read for the first time.`);
  }
}

/**
 * @param token of the page before; undefined for the first page
 * @param offset the end of the stream, called for the first page
 * @returns undefined for a token that is none
 */
type ReadStatePage = (
  filter: { readonly sources?: readonly string[] | undefined },
  token: string | undefined,
  offset: () => Promise<string>,
) => Promise<StatePage | undefined>;

export function createStatePages(
  ports: KnownReturns & { readonly clock: Pick<Clock, 'now'> },
): ReadStatePage {
  const { snapshots, states, clock } = ports;
  const listSince = rememberList(ports);

  return async ({ sources: chosen }, token, offset) => {
    const given = token === undefined ? undefined : decode(token);
    if (token !== undefined && given === undefined) return undefined;
    const place = given?.offset ?? (await offset());
    const begunAt = given?.begunAt ?? clock.now();
    const sourceAfter = async (before: string) =>
      (await listSince(begunAt)).find((name) => name > before && (chosen?.includes(name) ?? true));
    const source = given?.source ?? (await sourceAfter(''));
    if (source === undefined) return { rows: [], offset: place, next: undefined };
    const state = await states.load(source);
    if (state !== undefined && state.baselineAt === undefined) throw new BaselineUnderWay(source);
    const { rows, next } = state === undefined ? NONE : await readRows(snapshots, state, given?.after);
    const following = next === undefined ? await sourceAfter(source) : source;
    return {
      ...{ rows, offset: place },
      next: following && encode({ offset: place, begunAt, source: following, ...(next && { after: next }) }),
    };
  };
}

/** Lists the sources once for all pages of a client: that reads the states of all, and each source has a page. */
function rememberList({ sources, clock }: Parameters<typeof createStatePages>[0]) {
  let listed: { readonly at: Instant; readonly names: readonly string[] } | undefined;
  return async (since: Instant) => {
    if (listed === undefined || listed.at < since) {
      const at = clock.now();
      listed = { at, names: await sources() };
    }
    return listed.names;
  };
}

interface Rows {
  readonly rows: readonly string[];
  readonly next: ReturnPlace | undefined;
}

/** Of a source that was removed between two pages. */
const NONE: Rows = { rows: [], next: undefined };

async function readRows(
  snapshots: KnownReturns['snapshots'],
  source: { readonly source: string; readonly generation: string },
  after: ReturnPlace | undefined,
): Promise<Rows> {
  const { groups, next } = await readReturns(snapshots, source, after);
  const rows: string[] = [];
  let characters = 0;
  for (const { whole, createdAt, groupId } of groups) {
    const row = JSON.stringify({ source: source.source, ...whole });
    characters += row.length;
    rows.push(row);
    if (characters >= PAGE_CHARACTERS) return { rows, next: { createdAt, groupId } };
  }
  return { rows, next };
}

function encode(token: PageToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function decode(token: string): PageToken | undefined {
  try {
    return pageToken.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
