// The event: a CloudEvents 1.0 envelope (https://github.com/cloudevents/spec) around `data`, which holds the entity as
// it is now (`object`) and its old values (`previous_attributes`). Subscribers import this folder; it depends only on
// zod.
import * as z from 'zod';
import {
  exchangeLineItem,
  order,
  refundTransaction,
  returnGroup,
  returnLineItem,
  shipment,
} from './entities.ts';
import { baseline, drift, skippedEvents, sourceCondition, sourceRead } from './feed-objects.ts';
import { WATCHED_FIELDS } from './watched-fields.ts';

/** The group that the entity belongs to, at the same moment as the entity. */
export const returnGroupHeader = returnGroup
  .pick({
    id: true,
    created_at: true,
    updated_at: true,
    return_outcome: true,
    return_method: true,
  })
  .extend({ order });

/** A moment in the feed's own form, UTC with microseconds; the service's own stamps are published unchanged. */
const instant = z.string().meta({ format: 'date-time' });

/** The two readings between which the change showed. Polling can't be more precise than that. */
export const observed = z.object({
  /** The change had not shown yet at this moment; null at first sight. */
  after: instant.nullable(),
  /** The change had shown by this moment, by the service's clock. */
  by: instant,
  through: z.enum(['poll', 'reconciliation', 'baseline']),
});

/** Only if the source's settings ask for it. */
export const customer = z.object({
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
});

const numbered = { generation: z.string(), sequence: z.int().positive() };

const placed = { ...numbered, return_group: returnGroupHeader, observed, customer: customer.optional() };

const envelope = {
  specversion: z.literal('1.0'),
  id: z.string().max(80),
  source: z.string(),
  subject: z.string(),
  time: instant,
  datacontenttype: z.literal('application/json'),
  dataschema: z.string(),
  sequence: z.string(),
  partitionkey: z.string(),
  /** The replay's id; only on replayed events. */
  replayid: z.string().optional(),
};

function event<const Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({ ...envelope, type: z.literal(type), data });
}

/** The old values of those watched fields that changed; never empty. */
function previous<Shape extends z.ZodRawShape, const Field extends keyof Shape & string>(
  object: z.ZodObject<Shape>,
  fields: readonly Field[],
) {
  const mask = Object.fromEntries(fields.map((field) => [field, true])) as { [Name in Field]: true };
  return object.pick(mask as never).partial() as unknown as z.ZodType<{
    [Name in Field]?: z.output<Shape[Name]> | undefined;
  }>;
}

const shipmentBefore = previous(shipment, WATCHED_FIELDS.shipment);
const returnLineItemBefore = previous(returnLineItem, WATCHED_FIELDS.return_line_item);
const exchangeLineItemBefore = previous(exchangeLineItem, WATCHED_FIELDS.exchange_line_item);
const returnGroupBefore = previous(returnGroup, WATCHED_FIELDS.return_group);

const entityData = <Data extends z.ZodType>(object: Data) => z.object({ ...placed, object });
const changed = <Data extends z.ZodType, Before extends z.ZodType>(object: Data, before: Before) =>
  z.object({ ...placed, object, previous_attributes: before });
const ofTheFeed = <Data extends z.ZodType>(object: Data) => z.object({ ...numbered, object, observed });

/** The schemas of all events, by type. */
export const EVENT_SCHEMAS = {
  'return_line_item.created': event('return_line_item.created', entityData(returnLineItem)),
  'return_line_item.status_changed': event(
    'return_line_item.status_changed',
    changed(returnLineItem, returnLineItemBefore),
  ),
  'return_line_item.updated': event(
    'return_line_item.updated',
    changed(returnLineItem, returnLineItemBefore),
  ),
  'return_line_item.removed': event('return_line_item.removed', entityData(returnLineItem)),
  'shipment.created': event('shipment.created', entityData(shipment)),
  'shipment.status_changed': event('shipment.status_changed', changed(shipment, shipmentBefore)),
  'shipment.updated': event('shipment.updated', changed(shipment, shipmentBefore)),
  'shipment.removed': event('shipment.removed', entityData(shipment)),
  'exchange_line_item.created': event('exchange_line_item.created', entityData(exchangeLineItem)),
  'exchange_line_item.status_changed': event(
    'exchange_line_item.status_changed',
    changed(exchangeLineItem, exchangeLineItemBefore),
  ),
  'exchange_line_item.updated': event(
    'exchange_line_item.updated',
    changed(exchangeLineItem, exchangeLineItemBefore),
  ),
  'exchange_line_item.removed': event('exchange_line_item.removed', entityData(exchangeLineItem)),
  'refund_transaction.created': event('refund_transaction.created', entityData(refundTransaction)),
  'return_group.created': event('return_group.created', entityData(returnGroup)),
  'return_group.updated': event('return_group.updated', changed(returnGroup, returnGroupBefore)),
  'return_group.removed': event('return_group.removed', entityData(returnGroup)),
  'feed.source_degraded': event('feed.source_degraded', ofTheFeed(sourceCondition)),
  'feed.source_recovered': event('feed.source_recovered', ofTheFeed(sourceCondition)),
  'feed.baseline_completed': event('feed.baseline_completed', ofTheFeed(baseline)),
  'feed.drift_detected': event('feed.drift_detected', ofTheFeed(drift)),
  'feed.source_read': event('feed.source_read', ofTheFeed(sourceRead)),
  'feed.events_skipped': event('feed.events_skipped', ofTheFeed(skippedEvents)),
} as const;

export type EventType = keyof typeof EVENT_SCHEMAS;

/** The event of one type, for instance `EventOf<'shipment.status_changed'>`. */
export type EventOf<Type extends EventType> = z.output<(typeof EVENT_SCHEMAS)[Type]>;

/** Any event; narrow it by `event.type`. */
export type FeedEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/** The events of return groups and their entities. */
export type EntityEvent = EventOf<Exclude<EventType, `feed.${string}`>>;

/** Any event, for parsing. */
export const feedEvent: z.ZodType<FeedEvent> = z.discriminatedUnion(
  'type',
  Object.values(EVENT_SCHEMAS) as never,
) as never;
