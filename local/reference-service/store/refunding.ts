// The refund of a return: the suggested breakdown and the outcome.

import { centsOf, moneyBag, sumOf } from './money.ts';
import type { StoredExchange, StoredLineItem, StoredSuggestedRefund } from './stored-group.ts';

const SHIPPING_FEE = 695;
const STORE_CREDIT_INCENTIVE = 1_000;

export function suggestedRefund(
  returns: readonly StoredLineItem[],
  exchanges: readonly StoredExchange[],
  presentment: 'USD' | 'EUR',
): StoredSuggestedRefund {
  const kept = returns.filter((item) => item.status !== 'CANCELED');
  const replaced = exchanges.filter((exchange) => exchange.status !== 'CANCELED');
  const returnTotal = sumOf(kept, 'total', presentment);
  const exchangeTotal = sumOf(replaced, 'total', presentment);
  const due = Math.max(0, centsOf(returnTotal) - centsOf(exchangeTotal) - SHIPPING_FEE);
  return {
    refund_total: moneyBag(due, presentment),
    return_total: returnTotal,
    return_tax_total: sumOf(kept, 'tax_total', presentment),
    exchange_total: exchangeTotal,
    exchange_tax_total: sumOf(replaced, 'tax_total', presentment),
    handling_fee: moneyBag(0, presentment),
    shipping_fee: moneyBag(SHIPPING_FEE, presentment),
    store_credit_incentive: moneyBag(STORE_CREDIT_INCENTIVE, presentment),
  };
}

export function outcomeOf(creditMethod: string, hasExchange: boolean): string {
  const credit = creditMethod === 'STORE_CREDIT' ? 'credit' : 'refund';
  return hasExchange ? `exchange+${credit}` : credit;
}
