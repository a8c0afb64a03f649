// The possible next changes of a group: steps of its entities and of the group as a whole. Refunds, cancelation, corrections
// and, if a knob enables it, the loss of entities.

import { GATEWAYS, ORDER_TAGS } from './catalogue.ts';
import { exchangeSteps, hasArrived, lineItemSteps } from './item-steps.ts';
import { presentmentOf, suggestedRefund, sumOf } from './items.ts';
import type { Random } from './seeded-random.ts';
import { shipmentSteps } from './shipment-steps.ts';
import { type Step, type StepContext, withReplaced } from './step.ts';
import type { StoredGroup } from './stored-group.ts';

/** The possible next steps of a group; at least one. */
export function possibleSteps(group: StoredGroup, context: StepContext): Step[] {
  return [shipmentSteps, lineItemSteps, exchangeSteps, groupSteps].flatMap((stepsOf) =>
    stepsOf(group, context),
  );
}

/** Whether only unlikely steps, such as corrections, remain. */
export function isAtItsEnd(steps: readonly Step[]): boolean {
  return steps.every((step) => step.weight < 1);
}

export function pickStep(steps: readonly Step[], random: Random): Step {
  let left = random.fraction() * steps.reduce((sum, step) => sum + step.weight, 0);
  for (const step of steps) {
    left -= step.weight;
    if (left < 0) return step;
  }
  return random.pick(steps);
}

function groupSteps(group: StoredGroup, context: StepContext): Step[] {
  return [...refundSteps(group, context), ...cancelation(group), correction(group, context)];
}

function refundSteps(group: StoredGroup, { random }: StepContext): Step[] {
  const steps: Step[] = [];
  const unpaid = group.returns.filter(
    (item) => item.status === 'COMPLETED' && item.platform_refund_transaction_ids.length === 0,
  );
  const idOf = (number: number) => `gid://platform/OrderTransaction/${group.id + 900_000_000}-${number}`;
  const id = idOf(group.refund_transactions.length + 1);
  if (unpaid.length > 0) {
    const apply = (): StoredGroup => {
      const presentment = presentmentOf(group.suggested_refund.refund_total);
      const credit = group.credit_method ?? random.pick(['STORE_CREDIT', 'ORIGINAL_PAYMENT_METHOD']);
      const outcome = credit === 'STORE_CREDIT' ? 'credit' : 'refund';
      const amount = sumOf(unpaid, 'total', presentment);
      // Some gateways provide the transaction's id later.
      const platformId = random.chance(0.85) ? id : null;
      return {
        ...group,
        credit_method: credit,
        return_outcome: group.exchange_line_items.length > 0 ? `exchange+${outcome}` : outcome,
        refund_transactions: [
          ...group.refund_transactions,
          { type: 'refund_transaction', platform_id: platformId, amount, gateway: random.pick(GATEWAYS) },
        ],
        returns: group.returns.map((item) =>
          unpaid.includes(item) ? { ...item, platform_refund_transaction_ids: [id] } : item,
        ),
      };
    };
    steps.push({ name: 'refund_transaction.paid', weight: 5, apply });
  }
  const nameless = group.refund_transactions.find((refund) => refund.platform_id === null);
  if (nameless !== undefined) {
    const named = { ...nameless, platform_id: idOf(group.refund_transactions.indexOf(nameless) + 1) };
    const refunds = withReplaced(group.refund_transactions, nameless, named);
    const apply = () => ({ ...group, refund_transactions: refunds });
    steps.push({ name: 'refund_transaction.identified', weight: 1, apply });
  }
  return steps;
}

function cancelation(group: StoredGroup): Step[] {
  const isBegun = group.shipments.some(({ status }) => status !== 'DRAFT' && status !== 'CREATED');
  const isWaiting = group.returns.some(
    (item) => ['IN_REVIEW', 'OPEN'].includes(item.status) && !hasArrived(item, group),
  );
  if (isBegun || !isWaiting) return [];
  const apply = (): StoredGroup => {
    const canceled = {
      ...group,
      returns: group.returns.map((item) => ({ ...item, status: 'CANCELED' })),
      shipments: group.shipments.map((shipment) => ({ ...shipment, status: 'CANCELED' })),
      exchange_line_items: group.exchange_line_items.map((each) => ({ ...each, status: 'CANCELED' })),
    };
    const presentment = presentmentOf(group.suggested_refund.refund_total);
    return { ...canceled, suggested_refund: suggestedRefund(canceled, presentment) };
  };
  return [{ name: 'return_group.canceled', weight: 0.1, apply }];
}

function correction(group: StoredGroup, { random }: StepContext): Step {
  const tag = random.pick(ORDER_TAGS);
  const others = group.order.tags.filter((other) => other !== tag);
  const tags = others.length < group.order.tags.length ? others : [...others, tag];
  const apply = () => ({ ...group, order: { ...group.order, tags } });
  return { name: 'return_group.retagged', weight: 0.05, apply };
}

/** The group without one of its entities, or undefined if none can be removed. */
export function withoutOneEntity(group: StoredGroup, random: Random): StoredGroup | undefined {
  const kinds = (['shipments', 'returns', 'exchange_line_items'] as const).filter(
    (kind) => group[kind].length > (kind === 'returns' ? 1 : 0),
  );
  if (kinds.length === 0) return undefined;
  const kind = random.pick(kinds);
  const gone = random.below(group[kind].length);
  return { ...group, [kind]: group[kind].filter((_, place) => place !== gone) };
}
