import { describe, expect, it } from 'vitest';
import {
  asKnown,
  isSameAmount,
  isSameMoney,
  isSamePlatformId,
} from '../../../shared/comparing/same-value.ts';

const eur = (amount: number) => ({ amount, currency_code: 'EUR' });

it('amounts are the same if they are closer than a tenth of the smallest unit', () => {
  expect(isSameMoney(eur(19.99), eur(19.990000000000002))).toBe(true);
  expect(isSameMoney(eur(19.99), eur(19.9909))).toBe(true);
  expect(isSameMoney(eur(19.99), eur(19.9911))).toBe(false);
  expect(isSameMoney(eur(0), eur(0.001))).toBe(false);
  expect(isSameMoney(eur(1), { amount: 1, currency_code: 'USD' })).toBe(false);
});

it('the smallest unit is that of the currency, else a hundredth', () => {
  const inCurrency = (currency_code: string) => (amount: number) => ({ amount, currency_code });
  const [yen, dinar, points] = [inCurrency('JPY'), inCurrency('KWD'), inCurrency('loyalty points')];

  expect(isSameMoney(yen(100), yen(100.05))).toBe(true);
  expect(isSameMoney(dinar(1), dinar(1.0005))).toBe(false);
  expect(isSameMoney(points(1), points(1.0005))).toBe(true);
  expect(isSameMoney(points(1), points(1.002))).toBe(false);
});

it('an amount that is missing is the same as none other', () => {
  expect(isSameMoney(null, null)).toBe(true);
  expect(isSameMoney(null, eur(0))).toBe(false);
});

it('an amount in two currencies is the same if it is in both, or missing', () => {
  const bag = (shop: number | null, customer: number) => ({
    shop_money: shop === null ? null : eur(shop),
    presentment_money: eur(customer),
  });

  expect(isSameAmount(bag(1, 2), bag(1.0001, 2.0001))).toBe(true);
  expect(isSameAmount(bag(1, 2), bag(1, 3))).toBe(false);
  expect(isSameAmount(bag(1, 2), bag(null, 2))).toBe(false);
  expect(isSameAmount(bag(1, 2), null)).toBe(false);
  expect(isSameAmount(null, bag(null, 2))).toBe(false);
  expect(isSameAmount(null, null)).toBe(true);
});

it('a number and a global id that ends with it are one id', () => {
  expect(isSamePlatformId('123', 'gid://shop/Order/123')).toBe(true);
  expect(isSamePlatformId('gid://shop/Order/123', '123')).toBe(true);
  expect(isSamePlatformId('23', 'gid://shop/Order/123')).toBe(false);
  expect(isSamePlatformId('gid://shop/Order/123', 'gid://shop/Refund/123')).toBe(false);
  expect(isSamePlatformId('R-123', 'https://shop/123')).toBe(false);
  expect(isSamePlatformId('123', 'gid://shop/Order/123?x')).toBe(false);
  expect(isSamePlatformId('123', 'see gid://shop/Order/123')).toBe(false);
  expect(isSamePlatformId('123', '0123')).toBe(false);
  expect(isSamePlatformId('1 of 123', 'gid://shop/Order/1')).toBe(false);
  expect(isSamePlatformId('gid://shop/Order/1', '1 of 123')).toBe(false);
  expect(isSamePlatformId(null, '123')).toBe(false);
  expect(isSamePlatformId('123', null)).toBe(false);
  expect(isSamePlatformId(null, null)).toBe(true);
  expect(isSamePlatformId(undefined, '123')).toBe(false);
  expect(isSamePlatformId(123, 'gid://shop/Order/123')).toBe(false);
});

describe('an entity in its known spelling', () => {
  const GLOBAL = 'gid://shop/Order/123';

  it.each([
    ['a stamp with more digits', 'shipped_at', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00.250Z'],
    ['a stamp in another zone', 'shipped_at', '2026-11-20T10:00:00Z', '2026-11-20T12:00:00+02:00'],
    ['a global id', 'platform_id', '123', GLOBAL],
    ['an id that was global', 'line_item_platform_id', GLOBAL, '123'],
    ['the noise of an amount', 'total', eur(19.99), eur(19.990000000000002)],
    ['an amount within an object', 'bag', { shop_money: eur(1) }, { shop_money: eur(1.0001) }],
    ['ids in a list', 'platform_refund_transaction_ids', ['123', '7'], ['7', GLOBAL]],
  ])('keeps what was known before %s', (_, field, known, seen) => {
    const spelled = asKnown({ [field]: known, status: 'OPEN' }, { [field]: seen, status: 'DONE' });

    expect(spelled).toEqual({ [field]: known, status: 'DONE' });
  });

  it.each([
    ['another instant', 'shipped_at', '2026-11-20T10:00:00Z', '2026-11-20T10:00:01Z'],
    ['another fraction of the same length', 'shipped_at', '2026-11-20T10:00:00.1Z', '2026-11-20T10:00:00.2Z'],
    ['a stamp where none was', 'shipped_at', null, '2026-11-20T10:00:00Z'],
    [
      'the stamp of the group, which makes no event',
      'updated_at',
      '2026-11-20T10:00:00Z',
      '2026-11-20T10:00:00.0Z',
    ],
    ['a date that is no stamp', 'note', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00.0Z'],
    ['a number that is no id', 'tracking_number', '123', GLOBAL],
    ['numbers in a list of others', 'return_ids', ['123'], [GLOBAL]],
    ['an amount of another currency', 'total', eur(1), { amount: 1, currency_code: 'USD' }],
    ['an object where a list was', 'platform_ids', ['1'], { 0: '2' }],
    ['a new field', 'platform_id', undefined, '123'],
  ])('shows %s', (_, field, known, seen) => {
    expect(asKnown({ [field]: known }, { [field]: seen })).toEqual({ [field]: seen });
  });

  it('is the entity itself if nothing is spelled otherwise', () => {
    const seen = { status: 'OPEN', shipped_at: '2026-11-20T10:00:00Z' };

    expect(asKnown({ ...seen, status: 'DONE' }, seen)).toBe(seen);
  });
});
