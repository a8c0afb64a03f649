// A snapshot as the table stores it: `k` the group's key, `n` its version, `c` its creation time, `i` the index's
// partition (one for open groups, one for the others, none for tombstones, because removed groups are not looked up
// again), `b` the rest as a body.
import * as z from 'zod';
import { isOpen } from '../../shared/comparing/is-open.ts';
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import {
  exchangeLineItem,
  refundTransaction,
  returnGroup,
  returnLineItem,
  shipment,
} from '../../shared/contract/entities.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { formatGroupKey, parseGroupKey } from '../../shared/recording/group-key.ts';
import { maybe, storedObject } from '../../shared/source/stored-object.ts';
import { numberValue, type StoredItem, storedBytes, storedNumber, storedText } from './attribute-values.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

export type SourceGeneration = Pick<GroupKey, 'source' | 'generation'>;

const FORMAT = 1;

export function toSnapshotItem(source: SourceGeneration, snapshot: Snapshot): StoredItem {
  return {
    k: { S: formatGroupKey({ ...source, group: snapshot.groupId }) },
    ...(snapshot.removedAt === undefined ? { i: { S: indexPartition(source, isOpen(snapshot)) } } : {}),
    c: numberValue(snapshot.createdAt),
    ...formatAttribute(FORMAT),
    n: numberValue(snapshot.version),
    b: { B: encodeBody(bodyOf(snapshot)) },
  };
}

/** Copies field by field, so that no other property of the object is ever stored. */
function bodyOf(snapshot: Snapshot): z.input<typeof body1> {
  const { sequence, projectionVersion, updatedAt, sentAt, receivedAt, removedAt } = snapshot;
  const { projection, absences, unpublished } = snapshot;
  return {
    sequence,
    projectionVersion,
    updatedAt,
    sentAt,
    receivedAt,
    ...(removedAt === undefined ? {} : { removedAt }),
    projection,
    absences,
    // Its name in the first release.
    untold: unpublished,
  };
}

/** @throws UnreadableItemError, which names the item and holds nothing else of it */
export function fromSnapshotItem(item: StoredItem): Snapshot {
  try {
    return readStored(item, { [FORMAT]: readFormat1 });
  } catch (error) {
    throw new UnreadableItemError(`Snapshot "${item.k?.S}" can't be read.`, { cause: error });
  }
}

/** The index partition of a source's open groups, or of its other groups. */
export function indexPartition({ source, generation }: SourceGeneration, isOpenOnes: boolean): string {
  return `${source}_${generation}${isOpenOnes ? '_open' : ''}`;
}

function readFormat1(item: StoredItem): Snapshot {
  const { k: groupId, n: version, c: createdAt, b: body } = format1.parse(item);
  const { untold: unpublished, ...rest } = body1.parse(decodeBody(body));
  return { groupId, version, createdAt, ...rest, unpublished };
}

export const groupIdOfKey = storedText.transform((key) => parseGroupKey(key)?.group).pipe(z.int());

const format1 = z.object({ k: groupIdOfKey, c: storedNumber, n: storedNumber, b: storedBytes });

const instant = z.number();

/** A group's projection, in snapshots and in the poller's answers to operators. */
export const storedProjection = storedObject({
  group: asStored(returnGroup),
  shipments: maybe(z.array(asStored(shipment))),
  return_line_items: maybe(z.array(asStored(returnLineItem))),
  exchange_line_items: maybe(z.array(asStored(exchangeLineItem))),
  refund_transactions: maybe(z.array(asStored(refundTransaction))),
});

const body1 = z.object({
  sequence: z.int(),
  projectionVersion: z.int(),
  updatedAt: instant,
  sentAt: instant,
  receivedAt: instant,
  removedAt: instant.exactOptional(),
  projection: storedProjection,
  absences: z.record(z.string(), instant).default({}),
  untold: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** An entity as an older release may have stored it: a missing field was added later, and becomes null or empty. */
function asStored<Shape extends z.ZodRawShape>(entity: z.ZodObject<Shape>) {
  const shape = Object.entries(entity.shape).map(([name, field]) => {
    const schema = field as z.ZodType;
    if (schema.safeParse(null).success) return [name, schema.default(null)];
    return [name, schema.safeParse([]).success ? schema.default([]) : schema];
  });
  return z.object(Object.fromEntries(shape)) as unknown as z.ZodType<z.output<typeof entity>>;
}
