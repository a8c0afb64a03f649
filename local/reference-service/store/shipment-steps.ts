// Steps of shipments: DRAFT → CREATED → IN_TRANSIT → DELIVERED, and the failures.

import { WAREHOUSE } from './catalogue.ts';
import { carrierOf, shipmentId, trackingNumberOf } from './identities.ts';
import { type Step, type StepContext, stepMaker } from './step.ts';
import type { StoredGroup, StoredLineItem, StoredShipment } from './stored-group.ts';

const MOST_SHIPMENTS = 9;

export function shipmentSteps(group: StoredGroup, context: StepContext): Step[] {
  return [
    ...group.shipments.flatMap((shipment) => stepsOf(shipment, group, context)),
    ...additions(group, context),
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
        step('labelled', 5, { status: 'CREATED', ...label(shipment, context) }),
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

function label(shipment: StoredShipment, { seed, row }: StepContext): Partial<StoredShipment> {
  return {
    carrier: carrierOf(seed, row),
    tracking_number: trackingNumberOf(seed, row, (shipment.id - 1) % 10),
  };
}

function additions(group: StoredGroup, context: StepContext): Step[] {
  if (group.return_method === 'STORE_DROP_OFF' || group.shipments.length >= MOST_SHIPMENTS) return [];
  const waiting = group.returns.filter((item) => item.status === 'OPEN');
  const unassigned = waiting.filter(
    (item) => !group.shipments.some(({ id, status }) => id === item.shipment_id && status !== 'CANCELED'),
  );
  const draft = group.shipments.find(({ status, return_ids }) => status === 'DRAFT' && return_ids.length > 1);
  const apart = waiting.find((item) => item.shipment_id === draft?.id);
  return [
    ...(unassigned.length > 0 ? [addition('shipment.added', 4, group, unassigned, context)] : []),
    ...(draft !== undefined && apart !== undefined
      ? [addition('shipment.split', 0.4, group, [apart], context)]
      : []),
  ];
}

/** A step that adds a shipment for these items. */
function addition(
  name: string,
  weight: number,
  group: StoredGroup,
  items: readonly StoredLineItem[],
  context: StepContext,
): Step {
  const apply = (): StoredGroup => {
    const ids = items.map((item) => item.id);
    const place = Math.max(-1, ...group.shipments.map(({ id }) => (id - 1) % 10)) + 1;
    const shipment: StoredShipment = {
      id: shipmentId(group.id, place),
      status: 'DRAFT',
      carrier: null,
      tracking_number: null,
      created_at: context.at,
      origin_address: group.shipments[0]?.origin_address ?? null,
      destination_address: WAREHOUSE,
      shipped_at: null,
      delivered_at: null,
      return_group_id: group.id,
      return_ids: ids,
    };
    const others = group.shipments.map((other) =>
      other.return_ids.some((id) => ids.includes(id))
        ? { ...other, return_ids: other.return_ids.filter((id) => !ids.includes(id)) }
        : other,
    );
    return {
      ...group,
      shipments: [...others, shipment],
      returns: group.returns.map((item) =>
        ids.includes(item.id) ? { ...item, shipment_id: shipment.id } : item,
      ),
    };
  };
  return { name, weight, apply };
}
