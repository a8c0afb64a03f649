import type { EventOf } from '../../shared/contract/event.ts';
import type { StatusKind, StatusOf } from '../../shared/contract/statuses.ts';
import type { HandlerContext, Handlers } from './subscriber-options.ts';

/** An event in which an entity reaches a status. */
export type StatusEvent<Kind extends StatusKind> = EventOf<`${Kind}.created` | `${Kind}.status_changed`>;

/** Handlers by the status that an entity reaches. */
export type StatusHandlers<Kind extends StatusKind> = {
  readonly [Status in StatusOf<Kind>]?: (event: StatusEvent<Kind>, context: HandlerContext) => unknown;
};

/**
 * Handlers for an entity that reaches a status, by a change or at first sight: a parcel may already be delivered when
 * the feed first sees it. Other statuses are skipped.
 */
export function becomes<const Kind extends StatusKind>(
  entity: Kind,
  handlers: StatusHandlers<Kind>,
): Pick<Handlers, `${Kind}.created` | `${Kind}.status_changed`> {
  const handle = (event: StatusEvent<Kind>, context: HandlerContext) => {
    const byStatus: Readonly<Record<string, unknown>> = handlers;
    const { status } = event.data.object;
    const handler = Object.hasOwn(byStatus, status) ? byStatus[status] : undefined;
    return typeof handler === 'function' ? handler(event, context) : undefined;
  };
  return { [`${entity}.created`]: handle, [`${entity}.status_changed`]: handle } as never;
}
