// The kinds of changes of a group at the outside service.
import { drawVariant, type Group, newExchange } from './group.ts';
import type { Random } from './random.ts';

export type ChangeKind =
  | 'group'
  | 'parcel'
  | 'label'
  | 'item'
  | 'exchange'
  | 'refund'
  | 'removed-part'
  | 'removed-group';

export const ALL_KINDS: readonly ChangeKind[] = ['group', 'parcel', 'label', 'item', 'exchange', 'refund'];

type Edit = (group: Group, random: Random, now: number, strange: boolean) => void;

export const EDITS: Record<Exclude<ChangeKind, 'group' | 'removed-group'>, Edit> = {
  parcel(group, random, now, strange) {
    const shipment = group.shipments[0];
    if (!shipment) return;
    if (shipment.shippedAt === null) {
      shipment.status = 'IN_TRANSIT';
      shipment.shippedAt = now;
    } else if (shipment.deliveredAt === null) {
      shipment.status = 'DELIVERED';
      shipment.deliveredAt = now;
    } else {
      shipment.status = random.pick(
        strange ? ['RETURNED_TO_SENDER', 'LOST?'] : ['FAILED', 'UNKNOWN', 'DELIVERED'],
      );
    }
  },
  label(group, random) {
    const shipment = group.shipments[0];
    if (!shipment) return;
    shipment.carrier = random.pick(['UPS', 'DHL', 'FedEx', 'GLS']);
    shipment.tracking = `T${random.between(100_000, 999_999)}`;
  },
  item(group, random, _now, strange) {
    const item = group.items[0];
    if (!item) return;
    const statuses = ['OPEN', 'COMPLETED', 'CANCELED', ...(strange ? ['ON_HOLD'] : [])];
    if (random.chance(0.5)) item.status = random.pick(statuses);
    else item.quantity = random.between(1, 9);
  },
  exchange(group, random) {
    const exchange = group.exchanges[0];
    if (!exchange) return void group.exchanges.push(newExchange(group.id, drawVariant(random), 12.5));
    if (exchange.status === 'UNPROCESSED') {
      exchange.status = 'PROCESSED';
      exchange.platformId = `line-${exchange.id}`;
    } else {
      exchange.variant = drawVariant(random);
    }
  },
  refund(group, random) {
    const refund = {
      id: `refund/${group.id}-${group.refunds.length + 1}`,
      amount: random.between(100, 9_999) / 100,
    };
    group.refunds.push(refund);
    for (const item of group.items) item.refundIds.push(refund.id);
    group.outcome = random.pick(['refund', 'credit']);
    group.credit = group.outcome === 'credit' ? 'STORE_CREDIT' : 'ORIGINAL_PAYMENT_METHOD';
  },
  'removed-part'(group, random) {
    if (group.items.length > 1 && random.chance(0.5)) {
      const gone = group.items.pop();
      for (const shipment of group.shipments)
        shipment.itemIds = shipment.itemIds.filter((id) => id !== gone?.id);
    } else {
      group.exchanges.pop();
    }
  },
};
