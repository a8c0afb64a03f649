// Whether the service still shows this source at the current address, with the current token. A token or an address
// that was changed by mistake shows another store, or an empty one, and all known groups would look removed. So before
// answers for another address or token are used, known groups are looked up by their ids. One that is found is proof.
// Several are tried, from all of the source's past, because each of them may have been removed.
import { DAY, type Instant, MINUTE, SECOND } from '../instant.ts';
import { MAX_CANARIES, RECENT, SAME_CREATION_WITHIN } from '../limits.ts';
import type { GroupKey, SnapshotStore } from '../ports.ts';
import { ownRowsOf } from '../reading/own-rows.ts';
import { mayBeAboutRequest, type ReturnsServiceError } from '../returns-service/errors.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';

export interface Canary {
  readonly groupId: number;
  readonly createdAt: Instant;
}

export interface LookedUp {
  readonly rows: readonly RowReading[];
  /** Hash of the address and token of the look-up. */
  readonly accessHash: string;
}

export interface Proof {
  /**
   * `unknown`: there is no known group to look up. `replaced`: the token changed meanwhile, which proves nothing.
   * `unreadable`: none is found, but at least one may be a row that can't be read, which proves nothing either.
   */
  readonly outcome: 'found' | 'not_found' | 'unknown' | 'replaced' | 'unreadable';
  readonly accessHash: string | undefined;
}

export interface IdentityOptions {
  readonly source: Pick<GroupKey, 'source' | 'generation'>;
  readonly store: Pick<SnapshotStore, 'knownCreatedBetween'>;
  readonly lookUp: (groupId: number) => Promise<LookedUp>;
  readonly now: Instant;
  /** Whether the source's stamps name their zone. */
  readonly zoned: boolean;
  /** Number of look-ups at most. @default MAX_CANARIES */
  readonly most?: number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/**
 * How far back canaries are taken from: recent groups are least likely to be removed, the oldest have outlasted most.
 */
const SPANS = [DAY, 7 * DAY, RECENT, 365 * DAY, Number.POSITIVE_INFINITY];

/** The smallest difference between two time zones. */
const ZONES_DIFFER_BY = 15 * MINUTE;

/** @throws at once a failure that is not about the request; the failure of a look-up only if no known group is found */
export async function proveIdentity(options: IdentityOptions): Promise<Proof> {
  let accessHash: string | undefined;
  let isDoubtful = false;
  let failure: ReturnsServiceError | undefined;
  for (const canary of await chooseCanaries(options)) {
    const found = await options.lookUp(canary.groupId).catch((error: unknown) => {
      // One group's look-up may fail for ever.
      if (!mayBeAboutRequest(error)) throw error;
      failure = error;
    });
    if (found === undefined) continue;
    if (accessHash !== undefined && found.accessHash !== accessHash)
      return { outcome: 'replaced', accessHash };
    accessHash = found.accessHash;
    const rows = ownRowsOf(canary.groupId, found.rows);
    if (rows.some((row) => isSame(row, canary, options.zoned))) return { outcome: 'found', accessHash };
    isDoubtful ||= rows.some(({ kind }) => kind === 'unreadable');
  }
  if (failure !== undefined) throw failure;
  if (accessHash === undefined) return { outcome: 'unknown', accessHash };
  return { outcome: isDoubtful ? 'unreadable' : 'not_found', accessHash };
}

/** Returns a few known groups, others each time: from each span the first one after a random moment. */
async function chooseCanaries(options: IdentityOptions): Promise<Canary[]> {
  const { source, store, now, random, most = MAX_CANARIES } = options;
  const chosen = new Map<number, Canary>();
  const first = Math.floor(random() * SPANS.length);
  for (const span of [...SPANS.slice(first), ...SPANS.slice(0, first)]) {
    if (chosen.size >= most) break;
    const from = Number.isFinite(span) ? now - Math.floor(span * random()) : Number.NEGATIVE_INFINITY;
    for await (const canary of store.knownCreatedBetween(source, from, Number.MAX_SAFE_INTEGER)) {
      if (chosen.has(canary.groupId)) continue;
      chosen.set(canary.groupId, canary);
      break;
    }
  }
  return [...chosen.values()];
}

/**
 * Another store may have a group of that id, but hardly one created at the same time. If any zone counted, about one
 * group in 400 would match, and a source that is held tries one with each tick.
 */
function isSame(row: RowReading, { createdAt }: Canary, zoned: boolean): boolean {
  if (row.kind === 'readable') return isSameMoment(row.createdAt - createdAt, row.zoned !== zoned);
  return row.createdAt !== undefined && isSameMoment(row.createdAt - createdAt, false);
}

/** Whether the moments are the same to the second; in another zone only if stamps began or ceased to name theirs. */
function isSameMoment(difference: number, isZoneNew: boolean): boolean {
  const apart = Math.abs(difference);
  if (!isZoneNew) return apart <= SECOND;
  const beyondZone = apart % ZONES_DIFFER_BY;
  return apart <= SAME_CREATION_WITHIN && Math.min(beyondZone, ZONES_DIFFER_BY - beyondZone) <= SECOND;
}
