// Refund transactions have no id of the service's own: they are matched by the payment platform's id, else by
// amount and gateway, as often as they occur. An id that is filled in later is no event, nor is one that vanishes;
// a transaction once known stays known, so that it is never announced twice.
import type { RefundTransaction } from '../contract/entities.ts';

export interface RefundDifference {
  /** Transactions to announce, each with a place of its own in the event's subject. */
  readonly created: readonly { readonly object: RefundTransaction; readonly place: string }[];
  /** All that are known now. */
  readonly known: readonly RefundTransaction[];
}

export function compareRefunds(
  known: readonly RefundTransaction[],
  seen: readonly RefundTransaction[],
): RefundDifference {
  const merged = [...known];
  const matched = new Set<number>();
  const unmatched = seen.filter((refund) => !claim(merged, matched, refund, hasSameId));
  const fresh = unmatched.filter((refund) => !claim(merged, matched, refund, mayBeSame));
  const created = fresh.map((object, index) => ({
    object,
    // Two without an id must not share a subject: on the unordered bus the later would make the earlier stale.
    place: object.platform_id ?? `unidentified-${known.length + index + 1}`,
  }));
  return { created, known: [...merged, ...fresh] };
}

/** Matches one transaction with a known one that is not matched yet, and learns its id. */
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
  known[index] = { ...refund, platform_id: refund.platform_id ?? candidate.platform_id };
  return true;
}

function hasSameId(known: RefundTransaction, seen: RefundTransaction): boolean {
  return seen.platform_id !== null && known.platform_id === seen.platform_id;
}

function mayBeSame(known: RefundTransaction, seen: RefundTransaction): boolean {
  const bothNamed = known.platform_id !== null && seen.platform_id !== null;
  return !bothNamed && known.gateway === seen.gateway && JSON.stringify(known.amount) === JSON.stringify(seen.amount);
}
