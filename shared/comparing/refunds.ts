// Refund transactions have no id of the service's own, so they are matched with the known ones (match-refunds.ts). An
// id, a gateway or an amount that is filled in later is no event, nor is one that vanishes. A known transaction stays
// known, so it is never announced twice.
import type { MoneyBag, RefundTransaction } from '../contract/entities.ts';
import { hasSameId, isNamed, matchRefunds } from './match-refunds.ts';
import { inKnownSpelling } from './same-value.ts';

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
  const transactions = distinct(seen);
  // Those with an id first: each can only match a known refund with the same id, or one without an id.
  const inOrder = [...transactions.filter(isNamed), ...transactions.filter((refund) => !isNamed(refund))];
  const matches = matchRefunds(known, inOrder);
  const merged = known.map((refund) => merge(refund, matches.get(refund)));
  const old = new Set(matches.values());
  const fresh = inOrder.filter((refund) => !old.has(refund));
  const all = [...merged, ...fresh];
  const created = fresh.map((object, index) => ({
    object,
    // Two must not share a subject: on the unordered bus the later would make the earlier stale.
    place: isIdentified(object, all) ? object.platform_id : `unidentified-${known.length + index + 1}`,
  }));
  return { created, known: all };
}

/** Whether it is the only one with its id. */
function isIdentified(
  refund: RefundTransaction,
  all: readonly RefundTransaction[],
): refund is RefundTransaction & { readonly platform_id: string } {
  return isNamed(refund) && all.filter((other) => hasSameId(other, refund)).length === 1;
}

/**
 * Keeps one transaction per id, however often the list shows it; one per id and gateway if the list shows an id with
 * several gateways.
 */
function distinct(refunds: readonly RefundTransaction[]): RefundTransaction[] {
  return refunds.filter((refund, index) => {
    if (!isNamed(refund)) return true;
    const isSame = (other: RefundTransaction) => hasSameId(other, refund);
    const isElsewhere = refund.gateway === null && refunds.some((it) => isSame(it) && it.gateway !== null);
    return !isElsewhere && refunds.findIndex((it) => isSame(it) && it.gateway === refund.gateway) === index;
  });
}

/** The known transaction with what an answer shows of it. */
function merge(known: RefundTransaction, seen: RefundTransaction | undefined): RefundTransaction {
  if (seen === undefined) return known;
  if (hasSameId(known, seen)) return inKnownSpelling(known, seen);
  const merged = {
    ...seen,
    platform_id: seen.platform_id ?? known.platform_id,
    amount: mergeAmounts(known.amount, seen.amount),
    gateway: seen.gateway ?? known.gateway,
  };
  return inKnownSpelling(known, merged);
}

function mergeAmounts(known: MoneyBag | null, seen: MoneyBag | null): MoneyBag | null {
  if (known === null || seen === null) return seen ?? known;
  return {
    shop_money: seen.shop_money ?? known.shop_money,
    presentment_money: seen.presentment_money ?? known.presentment_money,
  };
}
