// Matches the refunds of an answer with the known ones. The service gives refunds no id of its own, so the payment
// platform's id decides (even with another gateway: gateways are renamed), else amount and gateway, as often as they
// occur, else the fields that both show. An id in another spelling only decides together with amount and gateway. Every refund without a match is announced, so as few as possible stay without
// one.
import type { MoneyBag, RefundTransaction } from '../contract/entities.ts';
import { isSameAmount, isSameMoney, isSamePlatformId } from './same-value.ts';

type Rule = (known: RefundTransaction, seen: RefundTransaction) => boolean;

/** Returns for each known refund the one of the answer that it is. The first ones of both lists are preferred. */
export function matchRefunds(
  known: readonly RefundTransaction[],
  seen: readonly RefundTransaction[],
): ReadonlyMap<RefundTransaction, RefundTransaction> {
  const matches = new Map<RefundTransaction, RefundTransaction>();
  const unmatched = new Set(seen);

  function matchFree(rule: Rule): void {
    for (const refund of unmatched) {
      const candidate = known.find((one) => !matches.has(one) && rule(one, refund));
      if (candidate === undefined) continue;
      matches.set(candidate, refund);
      unmatched.delete(refund);
    }
  }

  /** Takes a known one that is free, else one whose refund can take another (an augmenting path). */
  function claim(refund: RefundTransaction, tried: Set<RefundTransaction>): boolean {
    const candidates = known.filter((one) => isPossiblySame(one, refund));
    const free = candidates.filter((one) => !matches.has(one));
    for (const candidate of [...free, ...candidates]) {
      if (tried.has(candidate)) continue;
      tried.add(candidate);
      const holder = matches.get(candidate);
      if (holder !== undefined && !claim(holder, tried)) continue;
      matches.set(candidate, refund);
      return true;
    }
    return false;
  }

  // Two gateways may use one id: each refund of such a pair keeps its gateway.
  matchFree((one, refund) => hasSameId(one, refund) && one.gateway === refund.gateway);
  matchFree(hasSameId);
  matchFree((one, refund) => isNamed(one) && isNamed(refund) && isSameSum(one, refund));
  const identified = [...matches.keys()];
  // A refund that is shown as before is more likely the same than one that got its id just when an equal one came.
  matchFree((one, refund) => !isNamed(one) && !isNamed(refund) && isSameSum(one, refund));
  // The strict rule before the lenient one, so that refunds whose fields are all shown get the refund that equals them.
  matchFree(isSameSum);
  for (const refund of unmatched) claim(refund, new Set(identified));
  return matches;
}

/** Whether it has an id. Snapshots of earlier releases may hold an empty one. */
export function isNamed({ platform_id: id }: RefundTransaction): boolean {
  return id !== null && id !== '';
}

export function hasSameId(known: RefundTransaction, seen: RefundTransaction): boolean {
  return isNamed(seen) && known.platform_id === seen.platform_id;
}

function canBeSame(known: RefundTransaction, seen: RefundTransaction): boolean {
  return !isNamed(known) || !isNamed(seen) || isSamePlatformId(known.platform_id, seen.platform_id);
}

function isSameSum(known: RefundTransaction, seen: RefundTransaction): boolean {
  return canBeSame(known, seen) && known.gateway === seen.gateway && isSameAmount(known.amount, seen.amount);
}

/** Whether they agree in the fields that both show: a field may be sent for the first time, or left out. */
function isPossiblySame(known: RefundTransaction, seen: RefundTransaction): boolean {
  return (
    canBeSame(known, seen) &&
    (known.gateway === null || seen.gateway === null || known.gateway === seen.gateway) &&
    isSameAmountAsFarAsShown(known.amount, seen.amount)
  );
}

const MONEY_FIELDS = ['shop_money', 'presentment_money'] as const;

/** Amounts that show no common field do not match. */
function isSameAmountAsFarAsShown(a: MoneyBag | null, b: MoneyBag | null): boolean {
  if (a === null || b === null) return true;
  const shared = MONEY_FIELDS.filter((name) => a[name] !== null && b[name] !== null);
  return shared.length > 0 && shared.every((name) => isSameMoney(a[name], b[name]));
}
