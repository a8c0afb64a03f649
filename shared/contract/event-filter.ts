// Which events a subscriber asks for. The same filter is a policy of the ordered topic (on message attributes, see
// {@link filterPolicy}) and a predicate where no topic is in between: in a webhook's sender, in replays, on one machine.
// https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html
import * as z from 'zod';
import type { EventKind } from './data-schema.ts';
import { exchangeLineItem, returnLineItem, shipment } from './entities.ts';
import { EVENT_SCHEMAS, type EventType, type FeedEvent } from './event.ts';
import { SOURCE_NAME } from './event-id.ts';
import type { StatusKind, StatusOf } from './statuses.ts';
import { WATCHED_FIELDS, type WatchedField, type WatchedKind } from './watched-fields.ts';

/** The types of changes: of all events but the feed's own. */
export type ChangeType = Exclude<EventType, `feed.${string}`>;

/** The only event of the feed itself that ordered subscribers can get. Their filter must name it. */
export const SOURCE_READ = 'feed.source_read';

/** An event must meet every given condition, with any of its values. Without a condition every change passes. */
export interface EventFilter {
  /** Names of sources. */
  readonly sources?: readonly string[];
  /** Kinds of entity, the part of a type before the dot. */
  readonly entities?: readonly Exclude<EventKind, 'feed' | 'return'>[];
  readonly types?: readonly (ChangeType | typeof SOURCE_READ)[];
  /**
   * Statuses that an entity reaches, by a change or at first sight. Only events of the types `created` and
   * `status_changed` pass, and only with statuses that the service documents.
   */
  readonly to?: readonly StatusOf<StatusKind>[];
  /** Statuses that an entity leaves. Only events of the type `status_changed` pass. */
  readonly from?: readonly StatusOf<StatusKind>[];
  /** Watched fields that changed. Only events of the types `status_changed` and `updated` pass. */
  readonly changed?: readonly WatchedField[];
  /**
   * Only for whole returns, which pass if a parcel has a tracking number, once more after that was lost, and when they are
   * removed. An event does not show it, so no topic filters by it: the return is judged when it is read.
   */
  readonly hasTracking?: true;
}

/** The attributes by which a topic filters an event. Each text is short and not empty, and so is the list. */
export interface FilterAttributes {
  /** As in the event: `/sources/<name>`. */
  readonly source: string;
  readonly type: string;
  readonly entity: string;
  /** Only on events in which an entity reaches a documented status: an odd value would be rejected by SNS. */
  readonly to?: string;
  /** Only on events in which an entity leaves a documented status. */
  readonly from?: string;
  /** Only on events with `changed`: watched fields of this release, each of them once. */
  readonly changed?: readonly string[];
}

const STATUSES: Readonly<Record<StatusKind, ReadonlySet<string>>> = {
  return_line_item: documented(returnLineItem),
  shipment: documented(shipment),
  exchange_line_item: documented(exchangeLineItem),
};

/** The types of all events but the feed's own. */
export const CHANGE_TYPES = Object.keys(EVENT_SCHEMAS).filter(
  (type): type is ChangeType => !type.startsWith('feed.'),
);
const KINDS = [...new Set(CHANGE_TYPES.map(kindOf))];
const TYPES = [...CHANGE_TYPES, SOURCE_READ];
const ALL_STATUSES = [...new Set(Object.values(STATUSES).flatMap((statuses) => [...statuses]))];

const ALL_FIELDS: readonly string[] = [...new Set(Object.values(WATCHED_FIELDS).flat())];

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
    from: oneOf(ALL_STATUSES),
    changed: oneOf(ALL_FIELDS),
    hasTracking: z.literal(true),
  })
  .partial()
  .refine((filter) => combinationsOf(filter) <= MAX_COMBINATIONS, {
    error: ({ input }) =>
      `has ${combinationsOf(input as object)} combinations of values; SNS takes ${MAX_COMBINATIONS}. Name fewer values.`,
  })
  .refine((filter) => !excludesSourceRead(filter as EventFilter), {
    error: `names ${SOURCE_READ} and excludes it: it has no entity and changes nothing. Name types instead of "entities", "to", "from" and "changed".`,
  })
  .refine((filter) => canPass(filter as EventFilter), {
    error:
      'lets nothing pass: no type of event meets "entities", "types", "to", "from" and "changed" together. Leave one out.',
  }) as never;

/**
 * @param shape what the filter is for
 * @throws Error that names every problem of the filter
 */
export function checkFilter(filter: unknown, shape: 'event' | 'return' = 'event'): EventFilter {
  const parsed = eventFilter.safeParse(filter);
  if (parsed.success) {
    if (shape === 'event' && parsed.data.hasTracking)
      throw new Error(
        'filter.hasTracking: is only for webhooks and readers with the shape "return": an event does not show it.',
      );
    return parsed.data;
  }
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${['filter', ...path].join('.')}: ${message}`,
  );
  throw new Error(problems.join('; '));
}

/** Returns whether an event passes the filter. */
export function matchesFilter(filter: EventFilter, event: FeedEvent): boolean {
  const attributes: Readonly<Record<string, string | readonly string[] | undefined>> = {
    ...filterAttributes(event),
  };
  return Object.entries(filterPolicy(filter)).every(([name, values]) =>
    values.some((value) => meets(value, attributes[name])),
  );
}

/** A list meets a value if one of its elements does, as in SNS and EventBridge. */
function meets(value: PolicyValue, attribute: string | readonly string[] | undefined): boolean {
  if (typeof value !== 'string') return !value['anything-but'].includes(String(attribute ?? ''));
  return Array.isArray(attribute) ? attribute.includes(value) : value === attribute;
}

/** The attributes of an event's message. */
export function filterAttributes(event: FeedEvent): FilterAttributes {
  const { source, type } = event;
  const { to, from } = statusesAround(event);
  const changed = changedIn(event);
  return {
    ...{ source, type, entity: kindOf(type) },
    ...(to !== undefined && { to }),
    ...(from !== undefined && { from }),
    ...(changed.length > 0 && { changed }),
  };
}

/** A value of a filter policy: the attribute's, or any but these. */
export type PolicyValue = string | { readonly 'anything-but': readonly string[] };

/** The feed's own events must be asked for by their type. */
const CHANGES_ONLY = { entity: [{ 'anything-but': ['feed'] }] };

/**
 * The filter as an SNS filter policy on message attributes. SNS takes five attributes in a policy: types and entities
 * together are types.
 */
export function filterPolicy({
  sources,
  entities,
  types,
  to,
  from,
  changed,
}: EventFilter): Record<string, readonly PolicyValue[]> {
  const isOpen = [types, to, from, changed].every((values) => values === undefined);
  return {
    ...(isOpen && CHANGES_ONLY),
    ...(sources && { source: sources.map((name) => `/sources/${name}`) }),
    ...(entities && !types && { entity: entities }),
    ...(types && { type: types.filter((type) => isOf(type, entities)) }),
    ...(to && { to }),
    ...(from && { from }),
    ...(changed && { changed }),
  };
}

function isOf(type: string, entities: readonly string[] | undefined): boolean {
  return entities === undefined || entities.includes(kindOf(type));
}

/** The documented statuses that the event's entity reaches and leaves. */
function statusesAround({ type, data }: FeedEvent): { readonly to?: string; readonly from?: string } {
  const { object, previous_attributes: previous } = data as {
    readonly object: { readonly status?: unknown };
    readonly previous_attributes?: { readonly status?: unknown };
  };
  const [to, from] = [String(object.status), String(previous?.status)];
  return {
    ...(statusesOf(type).has(to) && { to }),
    ...(type.endsWith('.status_changed') && statusesOf(type).has(from) && { from }),
  };
}

/** A later release may watch other fields, and what it published may be sent again: its fields are not filtered by. */
function changedIn({ data }: FeedEvent): string[] {
  if (!('changed' in data) || !Array.isArray(data.changed)) return [];
  const changed: readonly unknown[] = data.changed;
  return ALL_FIELDS.filter((field) => changed.includes(field));
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

/** The watched fields of which an event of this type can name the change. */
function fieldsOf(type: string): readonly string[] {
  const kind = kindOf(type);
  if (!Object.hasOwn(WATCHED_FIELDS, kind)) return [];
  const fields: readonly string[] = WATCHED_FIELDS[kind as WatchedKind];
  if (type.endsWith('.status_changed')) return fields;
  return type.endsWith('.updated') ? fields.filter((field) => field !== 'status') : [];
}

function excludesSourceRead({ entities, types, to, from, changed }: EventFilter): boolean {
  const others = [entities, to, from, changed];
  return types?.includes(SOURCE_READ) === true && others.some((values) => values !== undefined);
}

function canPass({ entities, types, to, from, changed }: EventFilter): boolean {
  return TYPES.some(
    (type) =>
      ((types ?? CHANGE_TYPES) as readonly string[]).includes(type) &&
      isOf(type, entities) &&
      (to === undefined || to.some((status) => statusesOf(type).has(status))) &&
      (from === undefined ||
        (type.endsWith('.status_changed') && from.some((it) => statusesOf(type).has(it)))) &&
      (changed === undefined || changed.some((field) => fieldsOf(type).includes(field))),
  );
}

function combinationsOf(filter: object): number {
  return Object.values(filterPolicy(filter)).reduce((product, values) => product * values.length, 1);
}

function list<Value extends z.ZodType>(value: Value) {
  return z.array(value).min(1, 'must name at least one value');
}

function documented({ shape }: { readonly shape: { readonly status: z.ZodType } }): ReadonlySet<string> {
  return new Set(shape.status.meta()?.examples as string[]);
}
