import { expect, it } from 'vitest';
import { wholeReturn } from '../../../shared/comparing/whole-return.ts';
import { wholeReturn as schema } from '../../../shared/contract/return-message.ts';
import { formatInstant } from '../../../shared/instant.ts';
import { aRow, read, snapshotOf } from './a-reading.ts';

it('a whole return has its group, all its entities and refunds, and the number of its last event', () => {
  const row = aRow((each) => {
    each.refund_transactions = [{ type: 'refund_transaction', platform_id: 'r1', amount: {}, gateway: null }];
  });
  const snapshot = { ...snapshotOf(read(row)), sequence: 4 };

  const whole = wholeReturn('mi8x2k', snapshot);

  expect(schema.parse(whole)).toEqual(whole);
  expect(whole).toMatchObject({
    generation: 'mi8x2k',
    sequence: 4,
    updated_at: formatInstant(snapshot.updatedAt),
  });
  expect(whole.return_group).toMatchObject({ type: 'return_group', id: 184_467 });
  expect(whole.entities.map((entity) => entity.type)).toEqual([
    ...row.returns.map(() => 'return_line_item'),
    ...row.shipments.map(() => 'shipment'),
    ...row.exchange_line_items.map(() => 'exchange_line_item'),
    'refund_transaction',
  ]);
});

it('a whole return without refunds has none', () => {
  const snapshot = snapshotOf(read(aRow()));
  const projection = { ...snapshot.projection, refund_transactions: undefined };

  const { entities } = wholeReturn('mi8x2k', { ...snapshot, projection });

  expect(entities.map((entity) => entity.type)).not.toContain('refund_transaction');
  expect(schema.shape.entities.parse(entities)).toEqual(entities);
});
