// Steps of a group as a whole: refunds, cancelation, corrections and, if a knob enables it, the loss of entities.

import { GATEWAYS, ORDER_TAGS } from './catalogue.ts';
import { hasArrived } from './line-item-steps.ts';
import { presentmentOf, sumOf } from './money.ts';
import { outcomeOf, suggestedRefund } from './refunding.ts';
import { type Step, type StepContext, withReplaced } from './step.ts';
import type { StoredGroup } from './stored-group.ts';

export function groupSteps(group: StoredGroup, context: StepContext): Step[] {
  return [...refundSteps(group, context), ...cancelation(group), ...corrections(group, context)];
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
      const amount = sumOf(unpaid, 'total', presentment);
      // Some gateways provide the transaction's id later.
      const platformId = random.chance(0.85) ? id : null;
      return {
        ...group,
        credit_method: credit,
        return_outcome: group.return_outcome ?? outcomeOf(credit, group.exchange_line_items.length > 0),
        refund_transactions: [
          ...group.refund_transactions,
          { platform_id: platformId, amount, gateway: random.pick(GATEWAYS) },
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
    steps.push({
      name: 'refund_transaction.identified',
      weight: 1,
      apply: () => ({ ...group, refund_transactions: refunds }),
    });
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
    const returns = group.returns.map((item) => ({ ...item, status: 'CANCELED' }));
    const exchanges = group.exchange_line_items.map((exchange) => ({ ...exchange, status: 'CANCELED' }));
    return {
      ...group,
      returns,
      shipments: group.shipments.map((shipment) => ({ ...shipment, status: 'CANCELED' })),
      exchange_line_items: exchanges,
      suggested_refund: suggestedRefund(
        returns,
        exchanges,
        presentmentOf(group.suggested_refund.refund_total),
      ),
    };
  };
  return [{ name: 'return_group.canceled', weight: 0.1, apply }];
}

function corrections(group: StoredGroup, { random }: StepContext): Step[] {
  const tag = random.pick(ORDER_TAGS);
  const tags = group.order.tags.includes(tag)
    ? group.order.tags.filter((other) => other !== tag)
    : [...group.order.tags, tag];
  const retagged = {
    name: 'return_group.retagged',
    weight: 0.05,
    apply: () => ({ ...group, order: { ...group.order, tags } }),
  };
  if (group.return_outcome === null) return [retagged];
  const credit = group.credit_method === 'STORE_CREDIT' ? 'ORIGINAL_PAYMENT_METHOD' : 'STORE_CREDIT';
  const outcome = outcomeOf(credit, group.exchange_line_items.length > 0);
  return [
    retagged,
    {
      name: 'return_group.credit_changed',
      weight: 0.05,
      apply: () => ({ ...group, credit_method: credit, return_outcome: outcome }),
    },
  ];
}

/** The group without one of its entities, or undefined if none can be removed. */
export function withoutOneEntity(group: StoredGroup, { random }: StepContext): StoredGroup | undefined {
  const kinds = (['shipments', 'returns', 'exchange_line_items'] as const).filter(
    (kind) => group[kind].length > (kind === 'returns' ? 1 : 0),
  );
  if (kinds.length === 0) return undefined;
  const kind = random.pick(kinds);
  const gone = random.below(group[kind].length);
  return { ...group, [kind]: group[kind].filter((_, place) => place !== gone) };
}
