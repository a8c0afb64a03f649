// Refund transactions have no id of the service's own. The payment platform's id decides, else gateway and amount, as
// often as they occur. An id that is filled in later is no event, nor is one that vanishes. A known transaction stays
// known, so it is never announced twice.
import type { RefundTransaction } from '../contract/entities.ts';
import { inKnownSpelling, isSameAmount, isSamePlatformId } from './same-value.ts';

export interface RefundDifference {
  /** Transactions to announce, each with its own place in the event's subject. */
  readonly created: readonly { readonly object: RefundTransaction; readonly place: string }[];
  /** All transactions that are known now. */
  readonly known: readonly RefundTransaction[];
}

type Rule = (known: RefundTransaction, seen: RefundTransaction) => boolean;

/**
 * In this order as few as possible stay without a match: a refund without an id leaves those without an id to refunds
 * that got one. Only what remains is new, and of two equal ones the one that is shown as before is not.
 */
const RULES: readonly Rule[] = [
  (known, seen) => seen.platform_id !== null && known.platform_id === seen.platform_id,
  (known, seen) => seen.platform_id !== null && isSamePlatformId(known.platform_id, seen.platform_id),
  (known, seen) => seen.platform_id === null && known.platform_id !== null && isSameSum(known, seen),
  (known, seen) => seen.platform_id === null && isSameSum(known, seen),
  (known, seen) => known.platform_id === null && isSameSum(known, seen),
];

export function compareRefunds(
  known: readonly RefundTransaction[],
  seen: readonly RefundTransaction[],
): RefundDifference {
  const matches = new Map<RefundTransaction, RefundTransaction>();
  let fresh = seen.filter((refund, index) => !isRepeated(refund, seen.slice(0, index)));
  for (const isSame of RULES)
    fresh = fresh.filter((refund) => {
      const match = known.find((one) => !matches.has(one) && isSame(one, refund));
      if (match !== undefined) matches.set(match, refund);
      return match === undefined;
    });
  const created = fresh.map((object, index) => ({
    object,
    // Two must not share a subject: on the unordered bus the later would make the earlier stale.
    place: object.platform_id ?? `unidentified-${known.length + index + 1}`,
  }));
  return { created, known: [...known.map((refund) => merge(refund, matches.get(refund))), ...fresh] };
}

/** An id is one transaction, however often a list shows it. */
function isRepeated({ platform_id: id }: RefundTransaction, before: readonly RefundTransaction[]): boolean {
  return id !== null && before.some((other) => other.platform_id === id);
}

function isSameSum(known: RefundTransaction, seen: RefundTransaction): boolean {
  return known.gateway === seen.gateway && isSameAmount(known.amount, seen.amount);
}

/** The known transaction with what an answer shows of it. */
function merge(known: RefundTransaction, seen = known): RefundTransaction {
  return inKnownSpelling(known, { ...seen, platform_id: seen.platform_id ?? known.platform_id });
}
