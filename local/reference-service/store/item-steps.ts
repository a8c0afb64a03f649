// Steps of returned items (IN_REVIEW → OPEN → COMPLETED or CANCELED) and of exchanged ones
// (UNPROCESSED → PROCESSED or CANCELED).

import { RMA_PROVIDERS } from './catalogue.ts';
import { type Step, type StepContext, stepMaker } from './step.ts';
import type { StoredExchange, StoredGroup, StoredLineItem } from './stored-group.ts';

export function lineItemSteps(group: StoredGroup, context: StepContext): Step[] {
  return group.returns.flatMap((item) => stepsOf(item, group, context));
}

function stepsOf(item: StoredLineItem, group: StoredGroup, context: StepContext): Step[] {
  const { random } = context;
  const step = stepMaker('return_line_item', item, group, context);
  const rma = () => ({ last_rma_number: `RMA-${item.id}`, last_rma_provider: random.pick(RMA_PROVIDERS) });
  switch (item.status) {
    case 'IN_REVIEW':
      return [step('approved', 5, { status: 'OPEN' }), step('rejected', 0.4, { status: 'CANCELED' })];
    case 'OPEN':
      return hasArrived(item, group)
        ? [
            step('completed', 4, { status: 'COMPLETED' }),
            ...(item.last_rma_number === null ? [step('rma_assigned', 1, rma())] : []),
          ]
        : [
            step('canceled', 0.15, { status: 'CANCELED' }),
            ...(item.quantity > 1 ? [step('quantity_changed', 0.3, { quantity: item.quantity - 1 })] : []),
          ];
    case 'COMPLETED':
      return [step('reopened', 0.05, { status: 'OPEN' })];
    case 'CANCELED':
      return [];
    default:
      return [step('completed', 2, { status: 'COMPLETED' })];
  }
}

export function hasArrived(item: StoredLineItem, group: StoredGroup): boolean {
  if (group.return_method === 'STORE_DROP_OFF') return true;
  return group.shipments.some(({ id, status }) => id === item.shipment_id && status === 'DELIVERED');
}

export function exchangeSteps(group: StoredGroup, context: StepContext): Step[] {
  return group.exchange_line_items.flatMap((exchange) => stepsOfExchange(exchange, group, context));
}

function stepsOfExchange(exchange: StoredExchange, group: StoredGroup, context: StepContext): Step[] {
  const step = stepMaker('exchange_line_item', exchange, group, context);
  if (exchange.status === 'PROCESSED' || exchange.status === 'CANCELED') return [];
  const processed = { status: 'PROCESSED', line_item_platform_id: `gid://platform/LineItem/${exchange.id}` };
  const swapped = {
    variant_platform_id: `${exchange.variant_platform_id}1`,
    variant_name: `${exchange.variant_name} (swapped)`,
  };
  return [
    step('processed', group.returns.some((item) => hasArrived(item, group)) ? 4 : 1, processed),
    step('canceled', 0.15, { status: 'CANCELED' }),
    step('variant_swapped', 0.1, swapped),
  ];
}
