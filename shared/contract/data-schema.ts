// `dataschema` names the shape of an event's data: `urn:returns-change-feed:<kind>:<version>`, where the kind is the
// part of the type before the dot. Fields may be added under the same version; a change that would break a reader makes
// a new version (docs/events/changing.md).
import type { MessageType } from './return-message.ts';

type KindOf<Type> = Type extends `${infer Kind}.${string}` ? Kind : never;

/** The kind of an event or message: the part of its type before the dot. */
export type EventKind = KindOf<MessageType>;

/** The version of each kind that this release publishes and reads. */
export const DATA_VERSIONS: Readonly<Record<EventKind, number>> = {
  return_line_item: 1,
  shipment: 1,
  exchange_line_item: 1,
  refund_transaction: 1,
  return_group: 1,
  return: 1,
  feed: 1,
};

const DATA_SCHEMA = /^urn:returns-change-feed:([a-z_]{1,40}):([1-9]\d{0,5})$/;

/** The `dataschema` of this release's events of one kind. */
export function formatDataSchema(kind: EventKind): string {
  return `urn:returns-change-feed:${kind}:${DATA_VERSIONS[kind]}`;
}

/** @returns the kind and its version, of this release or another; undefined if it names no schema of this feed */
export function parseDataSchema(
  dataschema: string,
): { readonly kind: string; readonly version: number } | undefined {
  const match = DATA_SCHEMA.exec(dataschema);
  if (match === null) return undefined;
  const [, kind = '', version = ''] = match;
  return { kind, version: Number(version) };
}
