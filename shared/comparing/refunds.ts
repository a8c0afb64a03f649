// Refund transactions have no id of the service's own. They are matched by the payment platform's id, else by amount
// and gateway, as often as they occur, else by the fields that both show. So an id, a gateway or an amount that is
// filled in later is no event, nor is one that vanishes. A known transaction stays known, so it is never announced
// twice.
import type { MoneyBag, RefundTransaction } from '../contract/entities.ts';

export interface RefundDifference {
  /** Transactions to announce, each with its own place in the event's subject. */
  readonly created: readonly { readonly object: RefundTransaction; readonly place: string }[];
  /** All transactions that are known now. */
  readonly known: readonly RefundTransaction[];
}

export function compareRefunds(
  known: readonly RefundTransaction[],
  seen: readonly RefundTransaction[],
): RefundDifference {
  const merged = [...known];
  const matched = new Set<number>();
  // The strictest match first: in another order the same list, shuffled, could leave one without a match.
  const strangers = distinct(seen).filter((refund) => !claim(merged, matched, refund, hasSameId));
  const [named, unnamed] = [strangers.filter(isNamed), strangers.filter((refund) => !isNamed(refund))];
  const unlike = [
    ...named.filter((refund) => !claim(merged, matched, refund, isSameUnnamed)),
    ...unnamed.filter((refund) => !claim(merged, matched, refund, isSameSum)),
  ];
  const fresh = unlike.filter((refund) => !claim(merged, matched, refund, isSameAsFarAsShown));
  const created = fresh.map((object, index) => ({
    object,
    // Two without an id must not share a subject: on the unordered bus the later would make the earlier stale.
    place: object.platform_id ?? `unidentified-${known.length + index + 1}`,
  }));
  return { created, known: [...merged, ...fresh] };
}

/** Keeps one transaction per id, however often the list shows it. */
function distinct(refunds: readonly RefundTransaction[]): RefundTransaction[] {
  const ids = new Set<string>();
  return refunds.filter(({ platform_id: id }) => {
    if (id === null) return true;
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  });
}

/** Matches a transaction with an unmatched known one, and merges the fields that it shows. */
function claim(
  known: RefundTransaction[],
  matched: Set<number>,
  refund: RefundTransaction,
  isMatch: (known: RefundTransaction, seen: RefundTransaction) => boolean,
): boolean {
  const index = known.findIndex((candidate, at) => !matched.has(at) && isMatch(candidate, refund));
  const candidate = known[index];
  if (candidate === undefined) return false;
  matched.add(index);
  known[index] = hasSameId(candidate, refund) ? refund : merge(candidate, refund);
  return true;
}

function isNamed(refund: RefundTransaction): boolean {
  return refund.platform_id !== null;
}

function hasSameId(known: RefundTransaction, seen: RefundTransaction): boolean {
  return isNamed(seen) && known.platform_id === seen.platform_id;
}

function isSameUnnamed(known: RefundTransaction, seen: RefundTransaction): boolean {
  return !isNamed(known) && isSameSum(known, seen);
}

function isSameSum(known: RefundTransaction, seen: RefundTransaction): boolean {
  return known.gateway === seen.gateway && JSON.stringify(known.amount) === JSON.stringify(seen.amount);
}

/** Whether they agree in the fields that both show: a field may be sent for the first time, or left out. */
function isSameAsFarAsShown(known: RefundTransaction, seen: RefundTransaction): boolean {
  return (
    (!isNamed(known) || !isNamed(seen)) &&
    (known.gateway === null || seen.gateway === null || known.gateway === seen.gateway) &&
    isSameAmountAsFarAsShown(known.amount, seen.amount)
  );
}

const CURRENCIES = ['shop_money', 'presentment_money'] as const;

/** Amounts without a common currency do not match. */
function isSameAmountAsFarAsShown(a: MoneyBag | null, b: MoneyBag | null): boolean {
  if (a === null || b === null) return true;
  const shared = CURRENCIES.filter((name) => a[name] !== null && b[name] !== null);
  return shared.length > 0 && shared.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}

function merge(known: RefundTransaction, seen: RefundTransaction): RefundTransaction {
  return {
    ...seen,
    platform_id: seen.platform_id ?? known.platform_id,
    amount: mergeAmounts(known.amount, seen.amount),
    gateway: seen.gateway ?? known.gateway,
  };
}

function mergeAmounts(known: MoneyBag | null, seen: MoneyBag | null): MoneyBag | null {
  if (known === null || seen === null) return seen ?? known;
  return {
    shop_money: seen.shop_money ?? known.shop_money,
    presentment_money: seen.presentment_money ?? known.presentment_money,
  };
}
