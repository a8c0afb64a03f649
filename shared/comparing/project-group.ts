// The allowlist: the feed stores and publishes only the fields that this file returns. Absent, null and the documented
// default become one value. Lists whose order means nothing are sorted, so that a service that reorders them makes no
// change. Names are cut, so that no text makes an event too large to send.
import type * as contract from '../contract/entities.ts';
import { MAX_CONTEXT_CHARACTERS } from '../limits.ts';
import type { ReturnGroup } from '../returns-service/read-row.ts';
import type { GroupProjection } from './snapshot.ts';

type EntityOf<Field extends 'shipments' | 'returns' | 'exchange_line_items' | 'refund_transactions'> =
  NonNullable<ReturnGroup[Field]>[number];
type MoneyBag = EntityOf<'returns'>['total'] | EntityOf<'refund_transactions'>['amount'];
type Money = NonNullable<MoneyBag>['shop_money'];

/** Reduces a group to what may be stored and published. Always builds keys in the same order. */
export function projectGroup(group: ReturnGroup): GroupProjection {
  return {
    group: projectHeader(group),
    return_line_items: group.returns?.map(projectReturnLineItem).sort(byNumber),
    shipments: group.shipments?.map(projectShipment).sort(byNumber),
    exchange_line_items: group.exchange_line_items?.map(projectExchangeLineItem).sort(byText),
    refund_transactions: group.refund_transactions?.map(projectRefundTransaction).sort(byContent),
  };
}

function projectHeader(group: ReturnGroup): Required<contract.ReturnGroup> {
  return {
    type: 'return_group',
    id: group.id,
    created_at: group.created_at,
    updated_at: group.updated_at,
    return_outcome: group.return_outcome ?? null,
    credit_method: group.credit_method ?? null,
    return_method: group.return_method ?? null,
    order: projectOrder(group.order),
  };
}

function projectOrder(order: ReturnGroup['order']): contract.ReturnGroup['order'] {
  return { id: order?.id ?? null, name: cutText(order?.name), platform_id: order?.platform_id ?? null };
}

function projectShipment(shipment: EntityOf<'shipments'>): Required<contract.Shipment> {
  return {
    type: 'shipment',
    id: shipment.id,
    status: shipment.status,
    carrier: shipment.carrier ?? null,
    tracking_number: shipment.tracking_number ?? null,
    created_at: shipment.created_at ?? null,
    shipped_at: shipment.shipped_at ?? null,
    delivered_at: shipment.delivered_at ?? null,
    return_ids: [...(shipment.return_ids ?? [])].sort((a, b) => a - b),
  };
}

function projectReturnLineItem(item: EntityOf<'returns'>): Required<contract.ReturnLineItem> {
  const reason = item.return_reason_details;
  return {
    type: 'return_line_item',
    id: item.id,
    platform_id: item.platform_id ?? null,
    created_at: item.created_at ?? null,
    status: item.status,
    shipment_id: item.shipment_id ?? null,
    platform_refund_transaction_ids: [...(item.platform_refund_transaction_ids ?? [])].sort(),
    platform_line_item_id: item.platform_line_item_id ?? null,
    product_platform_id: item.product_platform_id ?? null,
    product_name: cutText(item.product_name),
    variant_platform_id: item.variant_platform_id ?? null,
    variant_name: cutText(item.variant_name),
    sku: item.sku ?? null,
    barcode: item.barcode ?? null,
    quantity: item.quantity ?? null,
    return_reason_details: reason ? { value: cutText(reason.value), label: cutText(reason.label) } : null,
    total: projectMoneyBag(item.total),
    last_rma_number: item.last_rma_number ?? null,
    last_rma_provider: item.last_rma_provider ?? null,
  };
}

function projectExchangeLineItem(item: EntityOf<'exchange_line_items'>): Required<contract.ExchangeLineItem> {
  return {
    type: 'exchange_line_item',
    id: item.id,
    status: item.status,
    line_item_platform_id: item.line_item_platform_id ?? null,
    product_platform_id: item.product_platform_id ?? null,
    product_name: cutText(item.product_name),
    variant_platform_id: item.variant_platform_id ?? null,
    variant_name: cutText(item.variant_name),
    sku: item.sku ?? null,
    quantity: item.quantity ?? null,
    total: projectMoneyBag(item.total),
  };
}

function projectRefundTransaction(
  refund: EntityOf<'refund_transactions'>,
): Required<contract.RefundTransaction> {
  return {
    type: 'refund_transaction',
    // An empty id identifies nothing: several refunds may have it.
    platform_id: refund.platform_id || null,
    amount: projectMoneyBag(refund.amount),
    gateway: refund.gateway ?? null,
  };
}

/** The first characters of a text that only people read; never used for what is compared or identifies something. */
export function cutText(
  text: string | null | undefined,
  maxCharacters: number = MAX_CONTEXT_CHARACTERS,
): string | null {
  if (text === null || text === undefined || text.length <= maxCharacters) return text ?? null;
  // A character beyond the basic plane has two units: as many units as this hold all the characters to keep.
  return [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('');
}

/** An empty bag counts as none. */
export function projectMoneyBag(bag: MoneyBag): contract.MoneyBag | null {
  if (!bag || (!bag.shop_money && !bag.presentment_money)) return null;
  return { shop_money: projectMoney(bag.shop_money), presentment_money: projectMoney(bag.presentment_money) };
}

/** Defaults as documented: an amount of 0, the currency USD (returns-data-service.md, "MoneyBag and Money"). */
function projectMoney(money: Money): contract.MoneyBag['shop_money'] {
  return money ? { amount: money.amount ?? 0, currency_code: money.currency_code ?? 'USD' } : null;
}

const byNumber = (a: { readonly id: number }, b: { readonly id: number }) => a.id - b.id;
const byText = (a: { readonly id: string }, b: { readonly id: string }) => order(a.id, b.id);
const byContent = (a: contract.RefundTransaction, b: contract.RefundTransaction) =>
  order(JSON.stringify(a), JSON.stringify(b));

/** Orders by code units, which do not depend on the locale. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
