// Patterns for rules on the bus. To catch a status, a pattern must match two types: an entity may already have the
// status when it is first seen, and is then published as created.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
import type { StatusKind, StatusOf } from './statuses.ts';

/** The first part of every event's `source` on the bus; a dot and the name of the event's source follow. */
export const BUS_SOURCE = 'returns-change-feed';

export interface ChangePatternOptions<Kind extends StatusKind> {
  readonly entity: Kind;
  /** The new status, or any of several. */
  readonly to: StatusOf<Kind> | readonly StatusOf<Kind>[];
  /** The sources whose events match. @default all */
  readonly sources?: readonly string[];
}

/** A rule's pattern in its JSON form: CDK's `EventPattern` writes `detail-type` as `detailType`. */
export interface ChangePattern {
  readonly source: readonly (string | { readonly prefix: string })[];
  readonly 'detail-type': readonly string[];
  readonly detail: { readonly data: { readonly object: { readonly status: readonly string[] } } };
}

/** The pattern of the events in which an entity reaches a status, by a change or at first sight. */
export function changePattern<Kind extends StatusKind>({
  entity,
  to,
  sources,
}: ChangePatternOptions<Kind>): ChangePattern {
  const statuses: readonly string[] = typeof to === 'string' ? [to] : to;
  return {
    source: sources?.map((name) => `${BUS_SOURCE}.${name}`) ?? [{ prefix: `${BUS_SOURCE}.` }],
    'detail-type': [`${entity}.created`, `${entity}.status_changed`],
    detail: { data: { object: { status: statuses } } },
  };
}
