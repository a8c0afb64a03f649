// The sample warehouse's handlers: a delivered parcel is booked from its event, which lists the line items in it with
// their statuses, and starts the workflow; each change of a line item is noted, and wakes the waiting workflows unless
// the item is still open. Each effect tolerates repeats and delays. A status is stored unless a newer one is stored. A
// waiting workflow is woken until its token is removed. A parcel, known by source and shipment id, belongs to the first
// delivery seen, whose event id names the workflow. So handled events need not be remembered, and stale ones need not be
// dropped: a parcel stays delivered even if its status has changed since.
import type { EventOf, EventType } from '../../shared/contract/event.ts';
import {
  type DeliveredParcel,
  GROUP_PART,
  lineItemPart,
  OPEN_STATUSES,
  parcelPart,
  REMOVED_STATUS,
} from '../../shared/deployment/sample-warehouse.ts';
import { becomes, type StatusEvent } from '../subscriber-kit/becomes.ts';
import type { HandlerContext, Handlers } from '../subscriber-kit/subscriber-options.ts';
import type { Goods, LineItem } from './goods-table.ts';
import type { ParcelWorkflow } from './parcel-workflow.ts';

export interface Warehouse {
  readonly goods: Goods;
  readonly workflow: ParcelWorkflow;
}

/** Longer than any workflow waits, and longer than events are kept to be sent again. */
const KEPT_SECONDS = 400 * 24 * 60 * 60;

interface Observed {
  readonly data: { readonly observed: { readonly by: string } };
}

type LineItemEvent = EventOf<Extract<EventType, `return_line_item.${string}`>>;

export function createWarehouseHandlers(warehouse: Warehouse): Handlers {
  const note = (event: LineItemEvent, { position }: HandlerContext) =>
    noteLineItem(warehouse, {
      returnGroup: event.partitionkey,
      part: lineItemPart(event.data.object.id),
      status: event.type === 'return_line_item.removed' ? REMOVED_STATUS : event.data.object.status,
      position,
      expires: expiryOf(event),
      goods: event.data.object,
    });
  return {
    ...becomes('shipment', { DELIVERED: (event, context) => expectGoods(warehouse, event, context) }),
    'return_line_item.created': note,
    'return_line_item.status_changed': note,
    'return_line_item.updated': note,
    'return_line_item.removed': note,
    'return_group.removed': (event, context) => noteRemovedGroup(warehouse, event, context),
  };
}

async function expectGoods(
  warehouse: Warehouse,
  event: StatusEvent<'shipment'>,
  { position }: HandlerContext,
): Promise<void> {
  const { goods, workflow } = warehouse;
  const { object, items } = event.data;
  const returnGroup = event.partitionkey;
  // The event lists up to 50 items. The ids of all are in `return_ids`.
  const lineItems = new Set([...items.map((item) => item.id), ...object.return_ids].map(lineItemPart));
  const delivered: DeliveredParcel = {
    return_group: returnGroup,
    parcel: parcelPart(object.id),
    line_items: [...lineItems],
    expires: String(expiryOf(event)),
  };
  if (!(await goods.claimParcel(delivered, event))) return;
  for (const item of items) {
    const part = lineItemPart(item.id);
    const note = { returnGroup, part, status: item.status, position, expires: expiryOf(event), goods: item };
    await noteLineItem(warehouse, note);
  }
  // On the unordered bus a group's removal may arrive before the delivery that it follows.
  const removedAt = await goods.positionOf({ returnGroup, part: GROUP_PART });
  if (removedAt !== undefined && removedAt > position)
    await noteRemoved(warehouse, event, delivered.line_items, removedAt);
  await workflow.start(event.id, delivered);
}

/** The removal of a whole group is one event; its parts get none. */
async function noteRemovedGroup(
  warehouse: Warehouse,
  event: EventOf<'return_group.removed'>,
  { position }: HandlerContext,
): Promise<void> {
  await noteRemoved(warehouse, event, [GROUP_PART], position);
  await noteRemoved(warehouse, event, await warehouse.goods.lineItemsOf(event.partitionkey), position);
}

async function noteRemoved(
  warehouse: Warehouse,
  event: Observed & { readonly partitionkey: string },
  parts: readonly string[],
  position: string,
): Promise<void> {
  const common = {
    returnGroup: event.partitionkey,
    status: REMOVED_STATUS,
    position,
    expires: expiryOf(event),
  };
  for (const part of parts) await noteLineItem(warehouse, { ...common, part });
}

async function noteLineItem({ goods, workflow }: Warehouse, lineItem: LineItem): Promise<void> {
  const waiting = await goods.note(lineItem);
  if (waiting.length === 0 || OPEN_STATUSES.some((open) => open === lineItem.status)) return;
  for (const token of waiting) await workflow.wake(token);
  await goods.forgetWaiting(lineItem, waiting);
}

/** By the service's clock, not by the group's stamps, which may be of any year. */
function expiryOf({ data }: Observed): number {
  return Math.floor(Date.parse(data.observed.by) / 1_000) + KEPT_SECONDS;
}
