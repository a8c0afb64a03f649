// Patterns for rules on the bus. Who waits for a status must match two types: an entity may be first seen when it
// already has it, and is then told as created.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
import type { StatusKind, StatusOf } from './statuses.ts';

/** Every event's `source` on the bus begins with this, a dot and the name of its source. */
export const BUS_SOURCE = 'returns-change-feed';

export interface ChangePatternOptions<Kind extends StatusKind> {
  readonly entity: Kind;
  /** The status that it comes to have, or any of several. */
  readonly to: StatusOf<Kind> | readonly StatusOf<Kind>[];
  /** The sources whose events match. @default all */
  readonly sources?: readonly string[];
}

/** What CDK's `EventPattern` calls `detailType` is called by its JSON name here: this is the rule's pattern itself. */
export interface ChangePattern {
  readonly source: readonly (string | { readonly prefix: string })[];
  readonly 'detail-type': readonly string[];
  readonly detail: { readonly data: { readonly object: { readonly status: readonly string[] } } };
}

/** The pattern of the events that tell an entity's coming to a status, however it came to be known. */
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
