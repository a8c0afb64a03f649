// The event: a CloudEvents 1.0 envelope (https://github.com/cloudevents/spec) around `data`, which holds the entity as
// it is now (`object`) and its old values (`previous_attributes`). Subscribers import this folder; it depends only on
// zod.
import * as z from 'zod';
import {
  destinationAddress,
  exchangeLineItem,
  forgottenGroup,
  order,
  refundTransaction,
  returnGroup,
  returnLineItem,
  shipment,
  shipmentItem,
  shipmentSummary,
  suggestedRefund,
} from './entities.ts';
import { baseline, drift, skippedEvents, sourceCondition, sourceRead } from './feed-objects.ts';
import { type OpenValue, openValue } from './open-value.ts';
import { WATCHED_FIELDS, type WatchedKind } from './watched-fields.ts';

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

/** The window in which the change showed. Polling can't be more precise; `time` is, where the group's stamp moved. */
export const observed = z.object({
  after: instant.nullable().meta({
    description:
      'When the last reading without the change was requested, less the time that a reading may be stale. Null at first sight.',
  }),
  by: instant.meta({
    description:
      'When the reading that shows the change was received, less the age that a cache gave it. Equal to `time` if the stamp of the return did not move.',
  }),
  through: z.enum(['poll', 'reconciliation', 'baseline', 'command']),
});

/** Only if the source's settings ask for it. */
export const customer = z.object({
  name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
});

export const numbered = { generation: z.string(), sequence: z.int().positive() };

/** Further fields, only if the source's settings ask for them (`include`). */
const included = z.object({
  order_tags: z.array(z.string()).optional(),
  suggested_refund: suggestedRefund.nullable().optional(),
});
const includedWithShipment = included.extend({
  destination_address: destinationAddress.nullable().optional(),
});

const placed = {
  ...numbered,
  return_group: returnGroupHeader,
  observed,
  customer: customer.optional(),
  included: included.optional(),
};

/** The most items that an event of a shipment lists. */
export const MAX_ITEMS = 50;

/** Context of a shipment. A change of it alone makes no event. */
const withItems = {
  items: z.array(shipmentItem).max(MAX_ITEMS).meta({
    description: 'The return line items on the shipment, as the feed last read them: the first 50 at most.',
  }),
  items_total: z.int().meta({
    description: 'How many return line items are on the shipment, those included that `items` leaves out.',
  }),
  included: includedWithShipment.optional(),
};

/** Context of a return line item. A change of it alone makes no event. */
const withShipment = {
  shipment: shipmentSummary.nullable().meta({ description: 'The shipment that the item is on.' }),
};

/** The fields of every message. */
export const envelope = {
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

/** The names of the watched fields that changed, so that a previous null is not taken for no change. */
function changedOf<const Kind extends WatchedKind>(kind: Kind) {
  type Name = OpenValue<(typeof WATCHED_FIELDS)[Kind][number]>;
  const fields: readonly string[] = WATCHED_FIELDS[kind];
  return z
    .array(openValue(...fields) as unknown as z.ZodType<Name>)
    .min(1)
    .meta({
      description: 'The watched fields that changed: the names in `previous_attributes`.',
    });
}

const backfill = z.literal(true).optional().meta({
  description: 'Only on what existed before the feed began, and is published because the baseline is.',
});

const of = <Data extends z.ZodRawShape>(data: Data) => z.object({ ...placed, ...data });
const ofTheFeed = <Data extends z.ZodType>(object: Data) => z.object({ ...numbered, object, observed });

const itemData = { object: returnLineItem, ...withShipment };
const itemChange = {
  ...itemData,
  changed: changedOf('return_line_item'),
  previous_attributes: previous(returnLineItem, WATCHED_FIELDS.return_line_item),
};
const shipmentData = { object: shipment, ...withItems };
const shipmentChange = {
  ...shipmentData,
  changed: changedOf('shipment'),
  previous_attributes: previous(shipment, WATCHED_FIELDS.shipment),
};
const exchangeData = { object: exchangeLineItem };
const exchangeChange = {
  ...exchangeData,
  changed: changedOf('exchange_line_item'),
  previous_attributes: previous(exchangeLineItem, WATCHED_FIELDS.exchange_line_item),
};
const groupData = { object: returnGroup };
const groupChange = {
  ...groupData,
  changed: changedOf('return_group'),
  previous_attributes: previous(returnGroup, WATCHED_FIELDS.return_group),
};

/** The schemas of all events, by type. */
export const EVENT_SCHEMAS = {
  'return_line_item.created': event('return_line_item.created', of({ ...itemData, backfill })),
  'return_line_item.status_changed': event('return_line_item.status_changed', of(itemChange)),
  'return_line_item.updated': event('return_line_item.updated', of(itemChange)),
  'return_line_item.removed': event('return_line_item.removed', of(itemData)),
  'shipment.created': event('shipment.created', of({ ...shipmentData, backfill })),
  'shipment.status_changed': event('shipment.status_changed', of(shipmentChange)),
  'shipment.updated': event('shipment.updated', of(shipmentChange)),
  'shipment.removed': event('shipment.removed', of(shipmentData)),
  'exchange_line_item.created': event('exchange_line_item.created', of({ ...exchangeData, backfill })),
  'exchange_line_item.status_changed': event('exchange_line_item.status_changed', of(exchangeChange)),
  'exchange_line_item.updated': event('exchange_line_item.updated', of(exchangeChange)),
  'exchange_line_item.removed': event('exchange_line_item.removed', of(exchangeData)),
  'refund_transaction.created': event(
    'refund_transaction.created',
    of({ object: refundTransaction, backfill }),
  ),
  'return_group.created': event('return_group.created', of({ ...groupData, backfill })),
  'return_group.updated': event('return_group.updated', of(groupChange)),
  'return_group.removed': event('return_group.removed', of(groupData)),
  'return_group.forgotten': event(
    'return_group.forgotten',
    z.object({ ...numbered, return_group: returnGroup.pick({ id: true }), object: forgottenGroup, observed }),
  ),
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

/** The events of what the service shows of return groups and their entities. */
export type EntityEvent = EventOf<Exclude<EventType, `feed.${string}` | 'return_group.forgotten'>>;

/** Any event, for parsing. */
export const feedEvent: z.ZodType<FeedEvent> = z.discriminatedUnion(
  'type',
  Object.values(EVENT_SCHEMAS) as never,
) as never;
