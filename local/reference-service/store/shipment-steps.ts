// Steps of shipments: DRAFT → CREATED → IN_TRANSIT → DELIVERED, and the failures.

import { labelOf, shipmentId } from './identities.ts';
import { newShipment } from './new-group.ts';
import { type Step, type StepContext, stepMaker } from './step.ts';
import type { StoredGroup, StoredLineItem, StoredShipment } from './stored-group.ts';

const MOST_SHIPMENTS = 9;

export function shipmentSteps(group: StoredGroup, context: StepContext): Step[] {
  return [
    ...group.shipments.flatMap((shipment) => stepsOf(shipment, group, context)),
    ...addition(group, context),
  ];
}

function stepsOf(shipment: StoredShipment, group: StoredGroup, context: StepContext): Step[] {
  const { at } = context;
  const step = stepMaker('shipment', shipment, group, context);
  const shippedAt = shipment.shipped_at ?? at;
  const delivered = { status: 'DELIVERED', shipped_at: shippedAt, delivered_at: at };
  switch (shipment.status) {
    case 'DRAFT':
      return [
        step('labelled', 5, {
          status: 'CREATED',
          ...labelOf(context.seed, context.row, (shipment.id - 1) % 10),
        }),
        step('canceled', 0.2, { status: 'CANCELED' }),
      ];
    case 'CREATED':
      return [
        step('shipped', 5, { status: 'IN_TRANSIT', shipped_at: shippedAt }),
        step('canceled', 0.2, { status: 'CANCELED' }),
        step('relabelled', 0.2, { tracking_number: `${shipment.tracking_number ?? 'R'}R` }),
      ];
    case 'IN_TRANSIT':
      return [
        step('delivered', 5, delivered),
        step('failed', 0.3, { status: 'FAILED' }),
        step('lost_sight_of', 0.3, { status: 'UNKNOWN' }),
      ];
    case 'DELIVERED':
    case 'CANCELED':
      return [];
    case 'FAILED':
      return [
        step('tried_again', 1, { status: 'IN_TRANSIT' }),
        step('canceled', 0.5, { status: 'CANCELED' }),
      ];
    default:
      // UNKNOWN, or a status that no document lists.
      return [
        step('found', 2, { status: 'IN_TRANSIT', shipped_at: shippedAt }),
        step('delivered', 2, delivered),
      ];
  }
}

/** A shipment for the items that wait without one. */
function addition(group: StoredGroup, { at }: StepContext): Step[] {
  if (group.return_method === 'STORE_DROP_OFF' || group.shipments.length >= MOST_SHIPMENTS) return [];
  const isOn = (item: StoredLineItem) =>
    group.shipments.some(({ id, status }) => id === item.shipment_id && status !== 'CANCELED');
  const waiting = group.returns.filter((item) => item.status === 'OPEN' && !isOn(item));
  if (waiting.length === 0) return [];
  const apply = (): StoredGroup => {
    const place = Math.max(-1, ...group.shipments.map(({ id }) => (id - 1) % 10)) + 1;
    const returns = group.returns.map((item) =>
      waiting.includes(item) ? { ...item, shipment_id: shipmentId(group.id, place) } : item,
    );
    const from = group.shipments[0]?.origin_address ?? null;
    const ids = waiting.map((item) => item.id);
    const others = group.shipments.map((other) => ({
      ...other,
      return_ids: other.return_ids.filter((id) => !ids.includes(id)),
    }));
    return {
      ...group,
      shipments: [...others, newShipment(group.id, place, at, returns, from)],
      returns,
    };
  };
  return [{ name: 'shipment.added', weight: 4, apply }];
}
