// A change in its envelope. The event follows only from the change, its context and the group's next number: the same
// input makes exactly the same event, so no id ever has two contents.

import { type EventKind, formatDataSchema } from '../contract/data-schema.ts';
import type { ReturnGroup } from '../contract/entities.ts';
import type { EntityEvent, FeedEvent } from '../contract/event.ts';
import { formatEventId, type OwnGroup } from '../contract/event-id.ts';
import { formatInstant, type Instant } from '../instant.ts';
import type { Change } from './changes.ts';
import { contextOf, includedWith } from './event-context.ts';
import type { GroupProjection, Reading } from './snapshot.ts';

/** The context that all changes of one reading share. */
export interface EventContext {
  readonly source: string;
  readonly generation: string;
  /** The group and its parts after the change. */
  readonly projection: GroupProjection;
  /** The group's stamp if it moved, else the moment of the reading. */
  readonly time: Instant;
  /** The change had not shown yet at this moment; undefined at first sight. */
  readonly after: Instant | undefined;
  readonly reading: Pick<Reading, 'receivedAt' | 'through' | 'customer' | 'included'>;
}

/** Maps the part of an event's type before the dot to its place below the group in `subject`. */
const SUBJECT_FOLDERS = {
  return_line_item: 'return-line-items',
  shipment: 'shipments',
  exchange_line_item: 'exchange-line-items',
  refund_transaction: 'refund-transactions',
} as const;

/** The event of a change of a group or of one of its entities. */
export function makeEvent(change: Change, sequence: number, context: EventContext): EntityEvent {
  const { source, generation, projection, time, reading } = context;
  const { group } = projection;
  const { object } = change;
  const after = 'unbounded' in change ? undefined : context.after;
  return {
    ...makeEnvelope(`${object.type}.${change.verb}`, subjectOf(change, group.id), sequence, {
      source,
      generation,
      group: group.id,
      time,
    }),
    data: {
      generation,
      sequence,
      return_group: headerOf(group),
      object,
      ...contextOf(change, projection),
      ...('previous' in change
        ? { changed: Object.keys(change.previous), previous_attributes: change.previous }
        : {}),
      ...('backfill' in change ? { backfill: true } : {}),
      observed: {
        after: after === undefined ? null : formatInstant(after),
        by: formatInstant(reading.receivedAt),
        through: reading.through,
      },
      ...(reading.customer === undefined ? {} : { customer: reading.customer }),
      ...includedWith(change, reading.included),
    },
  } as EntityEvent;
}

interface EnvelopeContext {
  readonly source: string;
  readonly generation: string;
  readonly group: number | OwnGroup;
  readonly time: Instant;
}

/** The envelope that all events share. */
export function makeEnvelope(
  type: string,
  subject: string,
  sequence: number,
  { source, generation, group, time }: EnvelopeContext,
): Omit<FeedEvent, 'data' | 'type'> & { readonly type: string } {
  return {
    specversion: '1.0',
    id: formatEventId({ source, generation, group, sequence }),
    source: `/sources/${source}`,
    type,
    subject,
    time: formatInstant(time),
    datacontenttype: 'application/json',
    dataschema: formatDataSchema(type.split('.')[0] as EventKind),
    sequence: String(sequence).padStart(10, '0'),
    partitionkey: `${source}/${group}`,
  };
}

function subjectOf(change: Change, groupId: number): string {
  const { object } = change;
  const group = `return-groups/${groupId}`;
  if (object.type === 'return_group') return group;
  const place = 'place' in change ? change.place : String((object as { id: number | string }).id);
  return `${group}/${SUBJECT_FOLDERS[object.type]}/${encodePlace(place)}`;
}

/** The place percent-encoded. A lone half of a surrogate pair, which a URI can't hold, becomes `%25uD800`. */
function encodePlace(place: string): string {
  const whole = place.replace(
    /\p{Surrogate}/gu,
    (half) => `%u${half.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return encodeURIComponent(whole);
}

function headerOf(group: ReturnGroup) {
  return {
    id: group.id,
    created_at: group.created_at,
    updated_at: group.updated_at,
    return_outcome: group.return_outcome,
    return_method: group.return_method,
    order: group.order,
  };
}
