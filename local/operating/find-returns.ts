// Finds return groups by a tracking number, an order name, or an id of a group, an entity or an event: in the tables, and
// if they have none to the letter, at the service, which knows groups that the feed has not read yet.

import { keyOf } from '../../shared/comparing/change-set.ts';
import { entitiesOf, type Snapshot } from '../../shared/comparing/snapshot.ts';
import { parseEventId } from '../../shared/contract/event-id.ts';
import type { TextFilter } from '../../shared/finding/find-groups.ts';
import { chunked } from '../../shared/in-parallel.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { messageOf } from '../cli/failures.ts';
import type { OpenFeed } from '../place/open-feed.ts';
import type { AccessOptions, ServiceAccess } from '../place/service-access.ts';

const SEARCHED = ['tracking_number', 'order_name', 'return_group_id', 'entity_id', 'event_id'] as const;

/** The kinds of a text. */
export type Searched = (typeof SEARCHED)[number];

export interface Found {
  readonly source: string;
  readonly returnGroupId: number;
  /** The part of the group that the text names. */
  readonly matched: Searched;
  /** Whether only the service has shown it: the feed may not have read it yet. */
  readonly isAtService?: true;
  /** False if the service shows the group for a text that it only has in another spelling, or within a longer one. */
  readonly isExact: boolean;
  /** Whether it had the tracking number once, and has another one now. */
  readonly isFormer?: true;
  /** The entity with the id, for instance `shipment/77120`. */
  readonly entity?: string;
  /** The event with the id. */
  readonly event?: { readonly generation: string; readonly sequence: number };
}

/** Searches that failed, or did not reach their end. */
export interface SearchProblem {
  readonly source: string;
  readonly searched: Searched;
  readonly message: string;
}

export interface SearchOptions extends AccessOptions {
  /** Search only this source. @default all sources of the place */
  readonly source?: string | undefined;
  /** The kinds that the text may be. @default all */
  readonly as?: readonly Searched[] | undefined;
  /** Search only there. @default the tables, and if they have none to the letter, the service */
  readonly where?: 'tables' | 'service' | undefined;
  /** Called for each part of the search that failed or is incomplete; the other parts go on. */
  readonly onProblem?: ((problem: SearchProblem) => void) | undefined;
}

/** All groups that the text finds, exact ones first. @throws Error if the place has no such source */
export async function findReturns(
  feed: OpenFeed,
  text: string,
  { source, as = SEARCHED, where, onProblem = () => {}, ...options }: SearchOptions = {},
): Promise<Found[]> {
  const sources = await feed.sources(source);
  const parts = sources.flatMap((each) => as.map((searched) => ({ source: each, searched })));
  const words = { feed, text, onProblem };
  const stored =
    where === 'service'
      ? []
      : (
          await Promise.all([
            searchAll(parts, BY_KEY, words),
            // One reading of the states, whatever the text may be.
            searchAll(
              sources.map((each) => ({ source: each, searched: 'entity_id' })),
              inStates(as),
              words,
            ),
          ])
        ).flat();
  if (where === 'tables' || stored.some(({ isExact }) => isExact)) return stored;
  const access = feed.openAccess(options);
  try {
    const atService = await searchAll(parts, serviceSearches(access), words);
    return atService.sort((a, b) => Number(b.isExact) - Number(a.isExact));
  } finally {
    access.close();
  }
}

interface Search {
  readonly feed: OpenFeed;
  readonly source: string;
  readonly text: string;
  readonly problem: (message: string) => void;
}

type Searches = Partial<Record<Searched, (search: Search) => Promise<Found[]>>>;

async function searchAll(
  parts: readonly Pick<SearchProblem, 'source' | 'searched'>[],
  searches: Searches,
  { feed, text, onProblem }: Pick<Search, 'feed' | 'text'> & Required<Pick<SearchOptions, 'onProblem'>>,
): Promise<Found[]> {
  const found = await Promise.all(
    parts.map(async (part) => {
      const problem = (message: string) => onProblem?.({ ...part, message });
      try {
        return (await searches[part.searched]?.({ feed, source: part.source, text, problem })) ?? [];
      } catch (error) {
        problem(messageOf(error));
        return [];
      }
    }),
  );
  return found.flat();
}

const BY_KEY: Searches = { return_group_id: findGroup, event_id: findByEvent };
const IN_STATES: readonly StoredText[] = ['tracking_number', 'order_name', 'entity_id'];

function inStates(as: readonly Searched[]): Searches {
  const kinds = IN_STATES.filter((kind) => as.includes(kind));
  return kinds.length === 0 ? {} : { entity_id: (search) => findText(search, kinds) };
}

function serviceSearches(access: ServiceAccess): Searches {
  return {
    tracking_number: (search) => askService(access, search, 'tracking_number', { trackingCode: search.text }),
    order_name: (search) => askService(access, search, 'order_name', { orderName: search.text }),
  };
}

async function askService(
  access: ServiceAccess,
  { source, problem }: Search,
  matched: Searched,
  filter: TextFilter,
): Promise<Found[]> {
  const { exact, similar, isWhole } = await access.find(source, filter);
  if (!isWhole)
    problem('The service has more groups than were read, or no stable order: some may be missing.');
  const found = { source, matched, isAtService: true } as const;
  return [
    ...exact.map((returnGroupId) => ({ ...found, returnGroupId, isExact: true })),
    ...similar.map((returnGroupId) => ({ ...found, returnGroupId, isExact: false })),
  ];
}

async function findGroup({ feed, source, text }: Search): Promise<Found[]> {
  const group = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(group)) return [];
  const state = await feed.stateOf(source);
  const isSetAside = state.setAside.some(({ groupId }) => groupId === group);
  const isKnown = isSetAside || (await feed.store.load(state, [group])).has(group);
  return isKnown ? [{ source, returnGroupId: group, matched: 'return_group_id', isExact: true }] : [];
}

async function findText(
  { feed, source, text, problem }: Search,
  as: readonly StoredText[],
): Promise<Found[]> {
  const { found, isWhole, groups } = await findStored(feed, await feed.stateOf(source), text, as);
  if (found.length === 0 && as.includes('tracking_number')) {
    const groups = await feed.lists.formerly(await feed.stateOf(source), text);
    if (groups.length > 0)
      return groups.map((returnGroupId) => ({
        ...{ source, returnGroupId, matched: 'tracking_number', isExact: true, isFormer: true },
      }));
  }
  // The service is asked for names.
  if (found.length === 0 && !isWhole && as.includes('entity_id'))
    problem(`Only the ${groups} return groups that were created last were searched for an entity's id.`);
  return found.map((each) => ({ source, isExact: true, ...each }));
}

async function findByEvent({ feed, source, text }: Search): Promise<Found[]> {
  const parts = parseEventId(text);
  if (parts === undefined || parts.source !== source || typeof parts.group !== 'number') return [];
  const { group, generation, sequence } = parts;
  const [entry] = await feed.ledger.read({ source, generation, group }, sequence - 1, 1);
  const isHeld = entry?.sequence === sequence;
  const known = (await feed.store.load({ source, generation }, [group])).get(group);
  // The ledger forgets an event after 30 days; the snapshot still counts it.
  if (!isHeld && (known === undefined || known.sequence < sequence)) return [];
  const event = { generation, sequence };
  return [{ source, returnGroupId: group, matched: 'event_id', isExact: true, event }];
}

// Looks in the stored states for an order name, a tracking number or the id of an entity. On one machine all groups are
// searched. A deployment has no index of texts, so the search there is bounded, and says where it ended.

/** The kinds of text that a search compares. */
type StoredText = 'order_name' | 'tracking_number' | 'entity_id';

const MOST_GROUPS = 2_000;
/** Snapshots read at once. */
const READ_GROUPS = 100;

/**
 * @param text an order name or a tracking number in any letter case, with or without blanks and `#`; an entity's id,
 *   or its kind and id, for instance `shipment/77120`
 * @param most groups that are searched
 * @returns the matches to the letter, or else those in another spelling; how many groups were searched, and whether these
 *   were all that can have the text
 */
export async function findStored(
  { lists, store }: Pick<OpenFeed, 'lists' | 'store'>,
  state: Pick<SourceState, 'source' | 'generation'>,
  text: string,
  as: readonly StoredText[],
  most = MOST_GROUPS,
) {
  const ids = await lists.candidates(state, tellingPart(text), most);
  const found: StoredMatch[] = [];
  for (const some of chunked(ids, READ_GROUPS)) {
    const snapshots = await store.load(state, some);
    for (const snapshot of snapshots.values())
      found.push(...matchesIn(snapshot, text).filter(({ matched }) => as.includes(matched)));
  }
  const literal = found.filter(({ isLiteral }) => isLiteral);
  return {
    found: (literal.length > 0 ? literal : found).map(({ isLiteral: _, ...match }) => match),
    groups: ids.length,
    isWhole: ids.length < most,
  };
}

interface StoredMatch {
  readonly returnGroupId: number;
  readonly matched: StoredText;
  readonly entity?: string;
  readonly isLiteral: boolean;
}

function matchesIn({ groupId: returnGroupId, projection }: Snapshot, text: string): StoredMatch[] {
  const spelled = withoutSpelling(text);
  const named = (names: readonly (string | null | undefined)[], matched: StoredText): StoredMatch[] => {
    const isLiteral = names.includes(text);
    const isSame =
      isLiteral || names.some((name) => name && spelled !== '' && withoutSpelling(name) === spelled);
    return isSame ? [{ returnGroupId, matched, isLiteral }] : [];
  };
  return [
    ...named([projection.group.order.name], 'order_name'),
    ...named(projection.shipments?.map(({ tracking_number }) => tracking_number) ?? [], 'tracking_number'),
    ...entitiesOf(projection)
      .filter((entity) => text === String(entity.id) || text === keyOf(entity))
      .map((entity) => ({
        returnGroupId,
        matched: 'entity_id' as const,
        entity: keyOf(entity),
        isLiteral: true,
      })),
  ];
}

/** Without letter case, blanks and the `#` of an order. */
function withoutSpelling(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '').replace(/^#/, '');
}

/** The longest run of letters and digits, of those with a digit if there are any: few other states have it. */
function tellingPart(text: string): string {
  const runs = text.match(/[a-z0-9]+/gi) ?? text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const numbered = runs.filter((run) => /\d/.test(run));
  return (numbered.length > 0 ? numbered : runs).reduce((a, b) => (b.length > a.length ? b : a), '');
}
