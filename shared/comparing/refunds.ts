// Refund transactions have no id of the service's own. The payment platform's id decides, else gateway and amount, as
// often as they occur. An id that is filled in later is no event, nor is one that vanishes. A known transaction stays
// known, so it is never announced twice.
import type { MoneyBag, RefundTransaction } from '../contract/entities.ts';
import { asKnown, isSameAmount, isSamePlatformId } from './same-value.ts';
import type { Shown } from './snapshot.ts';

export interface RefundDifference {
  /** Transactions to announce, each with its own place in the event's subject. */
  readonly created: readonly { readonly object: RefundTransaction; readonly place: string }[];
  /** All transactions that are known now. */
  readonly known: readonly RefundTransaction[];
}

type Seen = Shown<RefundTransaction>;
type Rule = (known: RefundTransaction, seen: Seen) => boolean;

/**
 * In this order as few as possible stay without a match: a refund without an id leaves those without an id to refunds
 * that got one. Only what remains is new, and of two equal ones the one that is shown as before is not.
 */
const RULES: readonly Rule[] = [
  (known, seen) => isNamed(seen) && known.platform_id === seen.platform_id,
  (known, seen) => isNamed(seen) && isSamePlatformId(known.platform_id, seen.platform_id),
  (known, seen) => !isNamed(seen) && known.platform_id !== null && isSameSum(known, seen),
  (known, seen) => !isNamed(seen) && isSameSum(known, seen),
  (known, seen) => known.platform_id === null && isSameSum(known, seen),
];

export function compareRefunds(known: readonly RefundTransaction[], seen: readonly Seen[]): RefundDifference {
  const matches = new Map<RefundTransaction, Seen>();
  let fresh = seen.filter((refund, index) => !isRepeated(refund, seen.slice(0, index)));
  for (const isSame of RULES)
    fresh = fresh.filter((refund) => {
      const match = known.find((one) => !matches.has(one) && isSame(one, refund));
      if (match !== undefined) matches.set(match, refund);
      return match === undefined;
    });
  const created = fresh.map((refund, index) => {
    const object = asKnown<RefundTransaction>({}, refund);
    // Two must not share a subject: on the unordered bus the later would make the earlier stale.
    return { object, place: object.platform_id ?? `unidentified-${known.length + index + 1}` };
  });
  const all = known.map((refund) => merge(refund, matches.get(refund)));
  return { created, known: [...all, ...created.map(({ object }) => object)] };
}

function isNamed({ platform_id: id }: Seen): boolean {
  return id !== null && id !== undefined;
}

/** An id is one transaction, however often a list shows it. */
function isRepeated(seen: Seen, before: readonly Seen[]): boolean {
  return isNamed(seen) && before.some((other) => other.platform_id === seen.platform_id);
}

/** A value that can't be read counts as the same. */
function isSameSum(known: RefundTransaction, { amount, gateway }: Seen): boolean {
  const isSameGateway = gateway === undefined || known.gateway === gateway;
  return isSameGateway && (amount === undefined || isSameAmount(known.amount, amount as MoneyBag | null));
}

/** The known transaction with what an answer shows of it. */
function merge(known: RefundTransaction, seen: Seen = known): RefundTransaction {
  return asKnown<RefundTransaction>(known, { ...seen, platform_id: seen.platform_id ?? known.platform_id });
}
