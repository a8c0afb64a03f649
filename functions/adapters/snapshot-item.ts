// A snapshot as the table stores it: `k` the group's key, `n` its version, `c` its creation time, `g` its digest, `i` the
// index's partition (none for tombstones: walks do not expect them), `b` the rest as a body.
import * as z from 'zod';
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
    ...(snapshot.removedAt === undefined ? { i: { S: indexPartition(source) } } : {}),
    c: numberValue(snapshot.createdAt),
    ...(snapshot.digest === undefined ? {} : { g: { S: snapshot.digest } }),
    ...formatAttribute(FORMAT),
    n: numberValue(snapshot.version),
    b: { B: encodeBody(snapshotBodyOf(snapshot)) },
  };
}

/** The stored fields of a snapshot, without its key, version, creation and digest. Other properties are left out. */
export function snapshotBodyOf(snapshot: Snapshot): z.input<typeof snapshotBody> {
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
    unpublished,
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

/** The index partition of a source's groups. */
export function indexPartition({ source, generation }: SourceGeneration): string {
  return `${source}_${generation}`;
}

function readFormat1(item: StoredItem): Snapshot {
  const { k: groupId, n: version, c: createdAt, g: digest, b: body } = format1.parse(item);
  const rest = snapshotBody.parse(decodeBody(body));
  return { groupId, version, createdAt, ...(digest === undefined ? {} : { digest }), ...rest };
}

export const groupIdOfKey = storedText.transform((key) => parseGroupKey(key)?.group).pipe(z.int());

/** The digest in an item of the table or of the index. */
export const storedDigest = storedText.optional();

const format1 = z.object({
  k: groupIdOfKey,
  c: storedNumber,
  g: storedDigest,
  n: storedNumber,
  b: storedBytes,
});

const instant = z.number();

/** A group's projection, in snapshots and in the poller's answers to operators. */
export const storedProjection = storedObject({
  group: returnGroup,
  shipments: maybe(z.array(shipment)),
  return_line_items: maybe(z.array(returnLineItem)),
  exchange_line_items: maybe(z.array(exchangeLineItem)),
  refund_transactions: maybe(z.array(refundTransaction)),
});

/** Reads what {@link snapshotBodyOf} returned. */
export const snapshotBody = z.object({
  sequence: z.int(),
  projectionVersion: z.int(),
  updatedAt: instant,
  sentAt: instant,
  receivedAt: instant,
  removedAt: instant.exactOptional(),
  projection: storedProjection,
  absences: z.record(z.string(), instant),
  unpublished: z.record(z.string(), z.record(z.string(), z.unknown())),
});
