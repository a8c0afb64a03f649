// A snapshot as the table holds it: `k` the group's key, `n` its version, `c` its creation time, `i` the index's
// partition (one for open groups, one for the others, none for tombstones: what was removed is not looked for again),
// `b` all the rest as a body.
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
import {
  bytesValue,
  numberValue,
  type StoredItem,
  storedBytes,
  storedNumber,
  storedText,
  textValue,
} from './attribute-values.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';
import { maybe, storedObject } from './stored-object.ts';

export type SourceGeneration = Pick<GroupKey, 'source' | 'generation'>;

const FORMAT = 1;

export function toSnapshotItem(source: SourceGeneration, snapshot: Snapshot): StoredItem {
  return {
    k: textValue(formatGroupKey({ ...source, group: snapshot.groupId })),
    ...(snapshot.removedAt === undefined ? { i: textValue(indexPartition(source, isOpen(snapshot))) } : {}),
    c: numberValue(snapshot.createdAt),
    ...formatAttribute(FORMAT),
    n: numberValue(snapshot.version),
    b: bytesValue(encodeBody(bodyOf(snapshot))),
  };
}

/** Field by field: nothing that happens to hang on the object is ever stored. */
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
    untold: unpublished,
  };
}

/** @throws UnreadableItemError, which names the item and holds nothing else of it. */
export function fromSnapshotItem(item: StoredItem): Snapshot {
  try {
    return readStored(item, { [FORMAT]: readFormat1 });
  } catch (error) {
    throw new UnreadableItemError(`Snapshot "${item.k?.S}" can't be read.`, { cause: error });
  }
}

/** The partition that the index keeps a source's groups in: those that are open, or the others. */
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

const body1 = z.object({
  sequence: z.int(),
  projectionVersion: z.int(),
  updatedAt: instant,
  sentAt: instant,
  receivedAt: instant,
  removedAt: instant.exactOptional(),
  projection: storedObject({
    group: asStored(returnGroup),
    shipments: maybe(z.array(asStored(shipment))),
    return_line_items: maybe(z.array(asStored(returnLineItem))),
    exchange_line_items: maybe(z.array(asStored(exchangeLineItem))),
    refund_transactions: maybe(z.array(asStored(refundTransaction))),
  }),
  absences: z.record(z.string(), instant).default({}),
  untold: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** The entity as an older release may have stored it: a field that came later is missing, which means null or none. */
function asStored<Shape extends z.ZodRawShape>(entity: z.ZodObject<Shape>) {
  const shape = Object.entries(entity.shape).map(([name, field]) => {
    const schema = field as z.ZodType;
    if (schema.safeParse(null).success) return [name, schema.default(null)];
    return [name, schema.safeParse([]).success ? schema.default([]) : schema];
  });
  return z.object(Object.fromEntries(shape)) as unknown as z.ZodType<z.output<typeof entity>>;
}
