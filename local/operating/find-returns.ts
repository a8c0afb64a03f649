// Finds return groups by a tracking number, an order name, or an id of a group, an entity or an event. Ids are looked
// up in the tables. The service is asked for tracking numbers and order names, because no table is indexed by them.
import { parseEventId } from '../../shared/contract/event-id.ts';
import type { TextFilter } from '../../shared/finding/find-groups.ts';
import { messageOf } from '../cli/failures.ts';
import { findEntity } from './find-entity.ts';
import type { OpenFeed } from './open-feed.ts';
import type { AccessOptions, ServiceAccess } from './service-access.ts';

export const SEARCHED = [
  'tracking_number',
  'order_name',
  'return_group_id',
  'entity_id',
  'event_id',
] as const;

/** The kinds of a text. */
export type Searched = (typeof SEARCHED)[number];

export interface Found {
  readonly source: string;
  readonly returnGroupId: number;
  /** The part of the group that the text names. */
  readonly matched: Searched;
  /** False if the group only has the text in another spelling, or within a longer one. */
  readonly isExact: boolean;
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
  /** Called for each part of the search that failed or is incomplete; the other parts go on. */
  readonly onProblem?: ((problem: SearchProblem) => void) | undefined;
}

/** All groups that the text finds, exact ones first. @throws Error if the place has no such source */
export async function findReturns(
  feed: OpenFeed,
  text: string,
  { source, as = SEARCHED, onProblem = () => {}, ...options }: SearchOptions = {},
): Promise<Found[]> {
  const sources = await feed.sources(source);
  const access = feed.openAccess(options);
  try {
    const parts = sources.flatMap((each) => as.map((searched) => ({ source: each, searched })));
    const found = await Promise.all(
      parts.map(async (part) => {
        const problem = (message: string) => onProblem({ ...part, message });
        try {
          return await SEARCHES[part.searched]({ feed, access, source: part.source, text, problem });
        } catch (error) {
          problem(messageOf(error));
          return [];
        }
      }),
    );
    return found.flat().sort((a, b) => Number(b.isExact) - Number(a.isExact));
  } finally {
    access.close();
  }
}

interface Search {
  readonly feed: OpenFeed;
  readonly access: ServiceAccess;
  readonly source: string;
  readonly text: string;
  readonly problem: (message: string) => void;
}

const SEARCHES: Readonly<Record<Searched, (search: Search) => Promise<Found[]>>> = {
  tracking_number: (search) => askService(search, 'tracking_number', { trackingCode: search.text }),
  order_name: (search) => askService(search, 'order_name', { orderName: search.text }),
  return_group_id: findGroup,
  entity_id: findByEntity,
  event_id: findByEvent,
};

async function askService(
  { access, source, problem }: Search,
  matched: Searched,
  filter: TextFilter,
): Promise<Found[]> {
  const { exact, similar, isWhole } = await access.find(source, filter);
  if (!isWhole)
    problem('The service has more groups than were read, or no stable order: some may be missing.');
  return [
    ...exact.map((returnGroupId) => ({ source, returnGroupId, matched, isExact: true })),
    ...similar.map((returnGroupId) => ({ source, returnGroupId, matched, isExact: false })),
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

async function findByEntity({ feed, source, text, problem }: Search): Promise<Found[]> {
  const { found, isWhole, groups } = await findEntity(feed, await feed.stateOf(source), text);
  if (found.length === 0 && !isWhole)
    problem(`Only the ${groups} return groups that were created last were searched for an entity's id.`);
  return found.map(({ returnGroupId, entity }) => ({
    source,
    returnGroupId,
    matched: 'entity_id',
    isExact: true,
    entity,
  }));
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
