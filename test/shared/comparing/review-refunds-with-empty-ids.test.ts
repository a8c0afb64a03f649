// Review: a service that writes "" where a refund has no id (a nullable string may be empty). All such refunds count as
// one: only the first is ever published, and its known state is overwritten by the others.
import { expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, inShort, read, snapshotOf, take } from './a-reading.ts';

const refund = (platform_id: string | null, amount: number, gateway = 'cards') => ({
  type: 'refund_transaction' as const,
  platform_id,
  amount: { shop_money: { amount, currency_code: 'EUR' as const } },
  gateway,
});

function story(...states: (readonly ReturnType<typeof refund>[])[]) {
  let snapshot = snapshotOf(read(aRow((row) => void (row.refund_transactions = []))));
  return states.flatMap((refunds, index) => {
    const row = aRow((each) => {
      each.refund_transactions = [...refunds];
      each.updated_at = `2026-11-20T1${index + 1}:15:02.123456Z`;
    });
    const taken = take(snapshot, read(row, (index + 1) * 60 * MINUTE));
    snapshot = taken.snapshot ?? snapshot;
    return inShort(taken.events).filter(([type]) => type === 'refund_transaction.created');
  });
}

it('publishes each of two refunds whose id is null (for comparison)', () => {
  expect(story([refund(null, 10)], [refund(null, 10), refund(null, 25, 'vouchers')])).toHaveLength(2);
});

it('publishes each of two refunds whose id is ""', () => {
  expect(story([refund('', 10)], [refund('', 10), refund('', 25, 'vouchers')])).toHaveLength(2);
});

it('publishes each of two refunds whose id is "", seen at once', () => {
  expect(story([refund('', 10), refund('', 25, 'vouchers')])).toHaveLength(2);
});

it('publishes each of two refunds on two gateways, whose payment platforms happen to use the same id', () => {
  expect(story([refund('1001', 10, 'cards')], [refund('1001', 10, 'cards'), refund('1001', 25, 'vouchers')])).toHaveLength(2);
});
