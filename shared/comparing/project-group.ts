// The allowlist: the feed stores and publishes only the fields that this file returns. Absent, null and the documented
// default become one value. Lists whose order means nothing are sorted, so that a service that reorders them makes no
// change. Names are cut, so that no text makes an event too large to send.
import type * as contract from '../contract/entities.ts';
import { MAX_CONTEXT_CHARACTERS } from '../limits.ts';
import { type Lenient, shown, UNREADABLE } from '../returns-service/field-kinds.ts';
import type { ReturnGroup } from '../returns-service/read-row.ts';
import type { Shown, ShownProjection } from './snapshot.ts';

type ListName = 'shipments' | 'returns' | 'exchange_line_items' | 'refund_transactions';
type EntityOf<Field extends ListName> = Exclude<
  Extract<ReturnGroup[Field], readonly unknown[]>[number],
  typeof UNREADABLE
>;
type MoneyBag = EntityOf<'returns'>['total'];
type Money = Extract<MoneyBag, object>['shop_money'];

/** Names of fields, such as `shipment.carrier`. */
export type FieldNames = ReadonlySet<string>;

const NONE: FieldNames = new Set();

/**
 * Reduces a group to what may be stored and published. Undefined is what it says nothing of: fields and entities that
 * can't be read, and absent fields of `kept`. Always builds keys in the same order.
 *
 * @param kept the watched fields whose absence is not null (known-fields.ts)
 */
export function projectGroup(group: ReturnGroup, kept: FieldNames = NONE): ShownProjection {
  const watched: Watched = (name, value) =>
    value === UNREADABLE || (value === undefined && kept.has(name)) ? undefined : (value ?? null);
  return {
    group: projectHeader(group, watched),
    return_line_items: each(group.returns, (item) => projectReturnLineItem(item, watched), byId),
    shipments: each(group.shipments, (shipment) => projectShipment(shipment, watched), byId),
    exchange_line_items: each(group.exchange_line_items, (item) => projectExchange(item, watched), byId),
    refund_transactions: each(group.refund_transactions, projectRefundTransaction, byContent),
  };
}

type Watched = <Value>(name: string, value: Lenient<Value>) => Value | null | undefined;

/** Entities that can't be read come last, as sort() has undefined. */
function each<Entity, Projected>(
  entities: Lenient<readonly (Entity | typeof UNREADABLE)[]>,
  project: (entity: Entity) => Projected,
  compare: (a: Projected, b: Projected) => number,
): (Projected | undefined)[] | undefined {
  if (!shown(entities)) return undefined;
  return entities
    .map((entity) => (entity === UNREADABLE ? undefined : project(entity)))
    .sort(compare as (a: Projected | undefined, b: Projected | undefined) => number);
}

/** Context, or a field that is null wherever it is absent. */
function context<Value>(value: Lenient<Value>): Value | null | undefined {
  return value === UNREADABLE ? undefined : (value ?? null);
}

/** A field that is never null by the document: where it is left out or null, nothing is said of it. */
function neverNull<Value>(value: Lenient<Value>): Value | undefined {
  return shown(value) ? value : undefined;
}

function projectHeader(group: ReturnGroup, watched: Watched): ShownProjection['group'] {
  return {
    type: 'return_group',
    id: group.id,
    created_at: group.created_at,
    updated_at: group.updated_at,
    return_outcome: watched('return_group.return_outcome', group.return_outcome),
    credit_method: watched('return_group.credit_method', group.credit_method),
    return_method: neverNull(group.return_method),
    order: projectOrder(group.order),
  };
}

function projectOrder(order: ReturnGroup['order']): ShownProjection['group']['order'] {
  if (order === UNREADABLE) return { id: undefined, name: undefined, platform_id: undefined };
  return {
    id: context(order?.id),
    name: shownText(order?.name),
    platform_id: context(order?.platform_id),
  };
}

function projectShipment(shipment: EntityOf<'shipments'>, watched: Watched): Shown<contract.Shipment> {
  return {
    type: 'shipment',
    id: shipment.id,
    status: shipment.status,
    carrier: watched('shipment.carrier', shipment.carrier),
    tracking_number: watched('shipment.tracking_number', shipment.tracking_number),
    created_at: context(shipment.created_at),
    shipped_at: watched('shipment.shipped_at', shipment.shipped_at),
    delivered_at: watched('shipment.delivered_at', shipment.delivered_at),
    return_ids: sorted(watched('shipment.return_ids', shipment.return_ids), (a, b) => a - b),
  };
}

function projectReturnLineItem(item: EntityOf<'returns'>, watched: Watched): Shown<contract.ReturnLineItem> {
  const refunds = 'return_line_item.platform_refund_transaction_ids';
  return {
    type: 'return_line_item',
    id: item.id,
    platform_id: context(item.platform_id),
    created_at: context(item.created_at),
    status: item.status,
    shipment_id: watched('return_line_item.shipment_id', item.shipment_id),
    platform_refund_transaction_ids: sorted(watched(refunds, item.platform_refund_transaction_ids)),
    platform_line_item_id: context(item.platform_line_item_id),
    product_platform_id: context(item.product_platform_id),
    product_name: shownText(item.product_name),
    variant_platform_id: context(item.variant_platform_id),
    variant_name: shownText(item.variant_name),
    sku: context(item.sku),
    barcode: context(item.barcode),
    quantity: neverNull(item.quantity),
    return_reason_details: projectReason(item.return_reason_details),
    total: projectMoneyBag(item.total),
    last_rma_number: watched('return_line_item.last_rma_number', item.last_rma_number),
    last_rma_provider: watched('return_line_item.last_rma_provider', item.last_rma_provider),
  };
}

function projectReason(reason: EntityOf<'returns'>['return_reason_details']) {
  return shown(reason)
    ? { value: shownText(reason.value), label: shownText(reason.label) }
    : context<never>(reason);
}

function projectExchange(
  item: EntityOf<'exchange_line_items'>,
  watched: Watched,
): Shown<contract.ExchangeLineItem> {
  const { line_item_platform_id } = item;
  return {
    type: 'exchange_line_item',
    id: item.id,
    status: item.status,
    line_item_platform_id: watched('exchange_line_item.line_item_platform_id', line_item_platform_id),
    product_platform_id: context(item.product_platform_id),
    product_name: shownText(item.product_name),
    variant_platform_id: neverNull(item.variant_platform_id),
    variant_name: shownText(item.variant_name),
    sku: context(item.sku),
    quantity: neverNull(item.quantity),
    total: projectMoneyBag(item.total),
  };
}

function projectRefundTransaction(
  refund: EntityOf<'refund_transactions'>,
): Shown<contract.RefundTransaction> {
  return {
    type: 'refund_transaction',
    // An empty id identifies nothing: several refunds may have it.
    platform_id: context(refund.platform_id) || (refund.platform_id === UNREADABLE ? undefined : null),
    amount: projectMoneyBag(refund.amount),
    gateway: context(refund.gateway),
  };
}

/** A list whose order means nothing; null is an empty one. */
function sorted<Id>(
  ids: readonly Id[] | null | undefined,
  compare?: (a: Id, b: Id) => number,
): Id[] | undefined {
  return ids === undefined ? undefined : [...(ids ?? [])].sort(compare);
}

function shownText(text: Lenient<string>): string | null | undefined {
  return text === UNREADABLE ? undefined : cutText(text);
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
export function projectMoneyBag(bag: MoneyBag): contract.MoneyBag | null | undefined {
  if (bag === UNREADABLE) return undefined;
  if (!bag || (!bag.shop_money && !bag.presentment_money)) return null;
  return { shop_money: projectMoney(bag.shop_money), presentment_money: projectMoney(bag.presentment_money) };
}

/** Defaults as documented: an amount of 0, the currency USD (returns-data-service.md, "MoneyBag and Money"). */
function projectMoney(money: Money): contract.MoneyBag['shop_money'] {
  return money ? { amount: money.amount ?? 0, currency_code: money.currency_code ?? 'USD' } : null;
}

const byId = <Named extends { readonly id: Id }>(a: Named, b: Named) => order(a.id, b.id);
const byContent = (a: object, b: object) => order(JSON.stringify(a), JSON.stringify(b));

type Id = number | string;

/** Orders texts by code units, which do not depend on the locale. */
function order(a: Id, b: Id): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
