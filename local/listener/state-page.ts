// `/state` of a reader: the present state of each return in pages, for a client that starts, or was away for too long.
import * as z from 'zod';
import type { WholeReturn } from '../../shared/contract/return-message.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { exportPage } from '../operating/export-groups.ts';
import type { LocalStore } from '../store/open-store.ts';

export type StateRow = { readonly source: string } & WholeReturn;

export interface StatePage {
  readonly rows: readonly StateRow[];
  /** The offset to go on from: of the moment before the first page. */
  readonly offset: string;
  /** The token of the next page; undefined at the end. */
  readonly next: string | undefined;
}

const pageToken = z.object({
  offset: z.string(),
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
export async function readStatePage(
  { snapshots, states, sources }: Pick<LocalStore, 'snapshots' | 'states' | 'sources'>,
  { sources: chosen }: { readonly sources?: readonly string[] | undefined },
  token: string | undefined,
  offset: () => Promise<string>,
): Promise<StatePage | undefined> {
  const given = token === undefined ? undefined : decode(token);
  if (token !== undefined && given === undefined) return undefined;
  const names = (await sources()).filter((name) => chosen?.includes(name) ?? true);
  const [source] = given === undefined ? names : [given.source];
  const place = given?.offset ?? (await offset());
  const state = source === undefined ? undefined : await states.load(source);
  if (source === undefined || state === undefined) return { rows: [], offset: place, next: undefined };
  if (state.baselineAt === undefined) throw new BaselineUnderWay(source);
  const { groups, next } = await exportPage(snapshots, state satisfies SourceState, given?.after);
  const following = names[names.indexOf(source) + 1];
  const go: Omit<PageToken, 'offset'> | undefined =
    next !== undefined
      ? { source, after: next }
      : following === undefined
        ? undefined
        : { source: following };
  return {
    rows: groups.map((group) => ({ source, ...group })),
    offset: place,
    next: go && Buffer.from(JSON.stringify({ offset: place, ...go })).toString('base64url'),
  };
}

function decode(token: string): PageToken | undefined {
  try {
    return pageToken.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
