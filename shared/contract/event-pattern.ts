// Patterns for rules on the bus. To catch a status, a pattern must match two types: an entity may already have the
// status when it is first seen, and is then published as created.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
import type { StatusKind, StatusOf } from './statuses.ts';
import type { WatchedField, WatchedKind } from './watched-fields.ts';

/** The first part of every event's `source` on the bus; a dot and the name of the event's source follow. */
export const BUS_SOURCE = 'returns-change-feed';

/** One or several statuses; a return group has none. */
export type StatusesOf<Kind extends WatchedKind> = Kind extends StatusKind
  ? StatusOf<Kind> | readonly StatusOf<Kind>[]
  : never;

/** An event must meet every given condition. At least one of `to`, `from` and `changed` is needed. */
export interface ChangePatternOptions<Kind extends WatchedKind> {
  readonly entity: Kind;
  /** The new status, or any of several. @default any */
  readonly to?: StatusesOf<Kind>;
  /** The previous status, or any of several. A newly seen entity has none and does not match. @default any, or none */
  readonly from?: StatusesOf<Kind>;
  /** A watched field that changed, or any of several. A newly seen entity does not match. @default any */
  readonly changed?: WatchedField<Kind> | readonly WatchedField<Kind>[];
  /** The sources whose events match. @default all */
  readonly sources?: readonly string[];
  /** Whether events match that `replay --to bus` sends again: a workflow would start again. @default false */
  readonly replays?: boolean;
}

/**
 * A rule's pattern as CDK's `new Rule({ eventPattern })` takes it. The JSON form of AWS writes `detailType` as
 * `detail-type`.
 */
export interface ChangePattern {
  source: string[];
  detailType: string[];
  detail: {
    readonly data: ChangedData;
    readonly replayid?: readonly string[];
  };
}

interface ChangedData {
  readonly object?: { readonly status: readonly string[] };
  readonly previous_attributes?: { readonly status: readonly string[] };
  /** A list matches if one of its elements is named. */
  readonly changed?: readonly string[];
}

/**
 * The pattern of the events in which an entity reaches or leaves a status, or one of its watched fields changes.
 *
 * @throws RangeError without a condition
 */
export function changePattern<Kind extends WatchedKind>({
  entity,
  to,
  from,
  changed,
  sources,
  replays = false,
}: ChangePatternOptions<Kind>): ChangePattern {
  if (to === undefined && from === undefined && changed === undefined)
    throw new RangeError(`A pattern for ${entity} needs a condition: to, from or changed.`);
  return {
    source: sources?.map((name) => `${BUS_SOURCE}.${name}`) ?? startingWith(`${BUS_SOURCE}.`),
    detailType: verbsOf(from, changed).map((verb) => `${entity}.${verb}`),
    detail: {
      ...(!replays && { replayid: ABSENT }),
      data: {
        ...(to !== undefined && { object: { status: listOf(to) } }),
        ...(from !== undefined && { previous_attributes: { status: listOf(from) } }),
        ...(changed !== undefined && { changed: listOf(changed) }),
      },
    },
  };
}

/** CDK's types know conditions only as the lists of strings that its `Match` returns. */
const ABSENT = [{ exists: false }] as unknown as string[];

function startingWith(prefix: string): string[] {
  return [{ prefix }] as unknown as string[];
}

/** One value, or several, as a list. */
export function listOf<Value extends string>(values: Value | readonly Value[]): readonly Value[] {
  return typeof values === 'string' ? [values] : values;
}

function verbsOf(from: unknown, changed: unknown): readonly string[] {
  if (from !== undefined) return ['status_changed'];
  return changed === undefined ? ['created', 'status_changed'] : ['status_changed', 'updated'];
}
