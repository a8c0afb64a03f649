import type { RefundTransaction } from '../../../shared/contract/entities.ts';

export function refund(
  platform_id: string | null,
  amount = 10,
  gateway: string | null = 'cards',
): RefundTransaction {
  const money = { amount, currency_code: 'EUR' };
  return {
    type: 'refund_transaction',
    platform_id,
    amount: { shop_money: money, presentment_money: null },
    gateway,
  };
}
