import { expect, it } from 'vitest';
import { isSameMoney, isSamePlatformId } from '../../../shared/comparing/same-value.ts';

const eur = (amount: number) => ({ amount, currency_code: 'EUR' });

it('amounts are the same if they are closer than a tenth of the smallest unit', () => {
  expect(isSameMoney(eur(19.99), eur(19.990000000000002))).toBe(true);
  expect(isSameMoney(eur(19.99), eur(19.9909))).toBe(true);
  expect(isSameMoney(eur(19.99), eur(19.9911))).toBe(false);
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

it('a number and a global id that ends with it are one id', () => {
  expect(isSamePlatformId('123', 'gid://shop/Order/123')).toBe(true);
  expect(isSamePlatformId('gid://shop/Order/123', '123')).toBe(true);
  expect(isSamePlatformId('23', 'gid://shop/Order/123')).toBe(false);
  expect(isSamePlatformId('gid://shop/Order/123', 'gid://shop/Refund/123')).toBe(false);
  expect(isSamePlatformId('R-123', 'https://shop/123')).toBe(false);
  expect(isSamePlatformId(null, '123')).toBe(false);
});
