// Which events a subscriber asks for. The same filter is a policy of the ordered topic (on message attributes, see
// {@link filterPolicy}) and a predicate where no topic is in between: in a webhook's sender, in replays, on one machine.
// https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html
import * as z from 'zod';
import { DATA_VERSIONS, type EventKind } from './data-schema.ts';
import { exchangeLineItem, returnLineItem, shipment } from './entities.ts';
import { EVENT_SCHEMAS, type EventType, type FeedEvent } from './event.ts';
import { SOURCE_NAME } from './event-id.ts';
import type { StatusKind, StatusOf } from './statuses.ts';

/** The types of changes: of all events but the feed's own. */
export type ChangeType = Exclude<EventType, `feed.${string}`>;

/** The only event of the feed itself that ordered subscribers can get. Their filter must name it. */
export const SOURCE_READ = 'feed.source_read';

/** An event must meet every given condition, with any of its values. Without a condition every change passes. */
export interface EventFilter {
  /** Names of sources. */
  readonly sources?: readonly string[];
  /** Kinds of entity, the part of a type before the dot. */
  readonly entities?: readonly Exclude<EventKind, 'feed'>[];
  readonly types?: readonly (ChangeType | typeof SOURCE_READ)[];
  /**
   * Statuses that an entity reaches, by a change or at first sight. Only events of the types `created` and
   * `status_changed` pass, and only with statuses that the service documents.
   */
  readonly to?: readonly StatusOf<StatusKind>[];
}

/** The attributes by which a topic filters an event. Each value is short and not empty. */
export interface FilterAttributes {
  /** As in the event: `/sources/<name>`. */
  readonly source: string;
  readonly type: string;
  readonly entity: string;
  /** Only on events in which an entity reaches a documented status: an odd value would be rejected by SNS. */
  readonly to?: string;
}

const STATUSES: Readonly<Record<StatusKind, ReadonlySet<string>>> = {
  return_line_item: documented(returnLineItem),
  shipment: documented(shipment),
  exchange_line_item: documented(exchangeLineItem),
};

const KINDS = Object.keys(DATA_VERSIONS).filter((kind) => kind !== 'feed');
/** The types of all events but the feed's own. */
export const CHANGE_TYPES = Object.keys(EVENT_SCHEMAS).filter(
  (type): type is ChangeType => !type.startsWith('feed.'),
);
const TYPES = [...CHANGE_TYPES, SOURCE_READ];
const ALL_STATUSES = [...new Set(Object.values(STATUSES).flatMap((statuses) => [...statuses]))];

/** SNS takes this many combinations of values in one policy: the product of the numbers of values. */
const MAX_COMBINATIONS = 150;

const oneOf = (values: readonly string[]) => list(z.enum(values as [string, ...string[]]));

/** Checks a filter that was written as JSON, or by code without types. */
export const eventFilter: z.ZodType<EventFilter> = z
  .strictObject({
    sources: list(z.string().regex(SOURCE_NAME, 'must be the name of a source')),
    entities: oneOf(KINDS),
    types: oneOf(TYPES),
    to: oneOf(ALL_STATUSES),
  })
  .partial()
  .refine((filter) => combinationsOf(filter) <= MAX_COMBINATIONS, {
    error: ({ input }) =>
      `has ${combinationsOf(input as object)} combinations of values; SNS takes ${MAX_COMBINATIONS}. Name fewer values.`,
  })
  .refine((filter) => !excludesSourceRead(filter as EventFilter), {
    error: `names ${SOURCE_READ} and excludes it: it has no entity and reaches no status. Name types instead of "entities" and "to".`,
  })
  .refine((filter) => canPass(filter as EventFilter), {
    error:
      'lets nothing pass: no type of event meets "entities", "types" and "to" together. Leave one of them out.',
  }) as never;

/** @throws Error that names every problem of the filter */
export function checkFilter(filter: unknown): EventFilter {
  const parsed = eventFilter.safeParse(filter);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${['filter', ...path].join('.')}: ${message}`,
  );
  throw new Error(problems.join('; '));
}

/** Returns whether an event passes the filter. */
export function matchesFilter(filter: EventFilter, event: FeedEvent): boolean {
  const attributes: Readonly<Record<string, string | undefined>> = { ...filterAttributes(event) };
  return Object.entries(filterPolicy(filter)).every(([name, values]) =>
    values.some((value) => meets(value, attributes[name])),
  );
}

function meets(value: PolicyValue, attribute: string | undefined): boolean {
  return typeof value === 'string' ? value === attribute : !value['anything-but'].includes(attribute ?? '');
}

/** The attributes of an event's message. */
export function filterAttributes(event: FeedEvent): FilterAttributes {
  const { source, type } = event;
  const to = statusReached(event);
  return { source, type, entity: kindOf(type), ...(to === undefined ? {} : { to }) };
}

/** A value of a filter policy: the attribute's, or any but these. */
export type PolicyValue = string | { readonly 'anything-but': readonly string[] };

/** The feed's own events must be asked for by their type. */
const CHANGES_ONLY = { entity: [{ 'anything-but': ['feed'] }] };

/** The filter as an SNS filter policy on message attributes. */
export function filterPolicy({
  sources,
  entities,
  types,
  to,
}: EventFilter): Record<string, readonly PolicyValue[]> {
  return {
    ...(types === undefined && to === undefined && CHANGES_ONLY),
    ...(sources && { source: sources.map((name) => `/sources/${name}`) }),
    ...(entities && { entity: entities }),
    ...(types && { type: types }),
    ...(to && { to }),
  };
}

/** The documented status that the event's entity reaches; undefined for other events. */
function statusReached({ type, data }: FeedEvent): string | undefined {
  const { object } = data as { readonly object: { readonly status?: unknown } };
  return statusesOf(type).has(String(object.status)) ? String(object.status) : undefined;
}

/** The statuses that an entity can reach by an event of this type. */
function statusesOf(type: string): ReadonlySet<string> {
  const isReached = type.endsWith('.created') || type.endsWith('.status_changed');
  const kind = kindOf(type);
  return isReached && Object.hasOwn(STATUSES, kind) ? STATUSES[kind as StatusKind] : new Set();
}

function kindOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

function excludesSourceRead({ entities, types, to }: EventFilter): boolean {
  return types?.includes(SOURCE_READ) === true && (entities !== undefined || to !== undefined);
}

function canPass({ entities, types, to }: EventFilter): boolean {
  return TYPES.some(
    (type) =>
      ((types ?? CHANGE_TYPES) as readonly string[]).includes(type) &&
      ((entities ?? [...KINDS, 'feed']) as readonly string[]).includes(kindOf(type)) &&
      (to === undefined || to.some((status) => statusesOf(type).has(status))),
  );
}

function combinationsOf(filter: object): number {
  return Object.values(filter).reduce((product, values) => product * (values?.length ?? 1), 1);
}

function list<Value extends z.ZodType>(value: Value) {
  return z.array(value).min(1, 'must name at least one value');
}

function documented({ shape }: { readonly shape: { readonly status: z.ZodType } }): ReadonlySet<string> {
  return new Set(shape.status.meta()?.examples as string[]);
}
