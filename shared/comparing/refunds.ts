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
  // The choosiest first. In any other order the same list, shuffled, could leave one without a match.
  const strangers = distinct(seen).filter((refund) => !claim(merged, matched, refund, hasSameId));
  const [named, unnamed] = [strangers.filter(isNamed), strangers.filter((refund) => !isNamed(refund))];
  const fresh = [
    ...named.filter((refund) => !claim(merged, matched, refund, isSameUnnamed)),
    ...unnamed.filter((refund) => !claim(merged, matched, refund, isSameSum)),
  ];
  const created = fresh.map((object, index) => ({
    object,
    // Two without an id must not share a subject: on the unordered bus the later would make the earlier stale.
    place: object.platform_id ?? `unidentified-${known.length + index + 1}`,
  }));
  return { created, known: [...merged, ...fresh] };
}

/** One id is one transaction, however often a list shows it. */
function distinct(refunds: readonly RefundTransaction[]): RefundTransaction[] {
  const ids = new Set<string>();
  return refunds.filter(({ platform_id: id }) => {
    if (id === null) return true;
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  });
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
