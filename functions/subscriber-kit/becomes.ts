import type { EventOf } from '../../shared/contract/event.ts';
import type { StatusKind, StatusOf } from '../../shared/contract/statuses.ts';
import type { HandlerContext, Handlers } from './subscriber-options.ts';

/** An event that tells an entity's coming to a status. */
export type StatusEvent<Kind extends StatusKind> = EventOf<`${Kind}.created` | `${Kind}.status_changed`>;

/** Handlers by the status that an entity has come to have. */
export type StatusHandlers<Kind extends StatusKind> = {
  readonly [Status in StatusOf<Kind>]?: (event: StatusEvent<Kind>, context: HandlerContext) => unknown;
};

/**
 * Handlers for an entity's coming to a status, whether it was seen changing or first seen so: a parcel can be
 * delivered when the feed learns of it. Other statuses are passed over.
 *
 * @returns handlers of `<entity>.created` and `<entity>.status_changed`, for `on`
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
