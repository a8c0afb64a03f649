// The value of a held change as a later reading shows it: whole, and found by its entity however its id looks.
import { expect, it } from 'vitest';
import { kindOf, valueShown } from '../../../shared/guarding/hold-samples.ts';
import { compared } from './guarded-pages.ts';

const { projection } = compared(1, true).reading;
const [shipment] = projection.shipments ?? [];
if (shipment === undefined) throw new Error('The group has no shipment.');
const carrier = { entity: `shipment/${shipment.id}`, field: 'carrier' };

it('is compared beyond the letters that a sample shows', () => {
  const showing = (name: string) => ({ ...projection, shipments: [{ ...shipment, carrier: name }] });
  const start = 'x'.repeat(80);

  const [one, other] = [`${start}1`, `${start}2`].map((name) => valueShown(showing(name), carrier));

  expect(one).toBe(`${start}1`);
  expect(other).not.toBe(one);
});

it.each(['r-1', 'manual 1', 'a/b c'])('is found by the id %s of a refund', (id) => {
  const refund = { type: 'refund_transaction', platform_id: id, gateway: null, amount: null } as const;
  const shown = { ...projection, refund_transactions: [refund] };
  const change = { entity: `refund_transaction/${id}`, field: undefined };

  expect(valueShown(shown as never, change)).toBe('created');
  expect(valueShown({ ...shown, refund_transactions: [] }, change)).toBe('missing');
  expect(kindOf(change)).toBe('refund_transaction ');
});

it('is unknown if the array is left out', () => {
  const refund = { entity: 'refund_transaction', field: undefined };

  expect(valueShown({ ...projection, shipments: undefined }, carrier)).toBeUndefined();
  expect(valueShown({ ...projection, refund_transactions: undefined }, refund)).toBeUndefined();
});

it('is a refund without an id as long as more refunds are shown than are known', () => {
  const refundOf = (amount: number, gateway: string | null) => {
    const money = { amount, currency_code: 'USD' };
    const bag = { shop_money: money, presentment_money: null };
    return { type: 'refund_transaction', platform_id: null, gateway, amount: bag } as const;
  };
  const known = { ...projection, refund_transactions: [refundOf(5, 'card')] };
  const shows = (...refunds: ReturnType<typeof refundOf>[]) =>
    valueShown(
      { ...projection, refund_transactions: refunds },
      { entity: 'refund_transaction', field: undefined },
      known,
    );

  expect(shows(refundOf(5, 'card'), refundOf(5, 'card'))).toBe('created');
  expect(shows(refundOf(7, null), refundOf(5, null))).toBe('created');
  expect(shows(refundOf(5, null))).toBe('missing');
});
