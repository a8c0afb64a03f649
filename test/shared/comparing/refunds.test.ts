import { describe, expect, it } from 'vitest';
import { compareRefunds } from '../../../shared/comparing/refunds.ts';
import type { RefundTransaction } from '../../../shared/contract/entities.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, inShort, read, snapshotOf, take } from './a-reading.ts';
import { refund } from './a-refund.ts';

function inTwoCurrencies({ amount, ...refund }: RefundTransaction): RefundTransaction {
  const presentment_money = { amount: 11, currency_code: 'USD' };
  return { ...refund, amount: amount && { ...amount, presentment_money } };
}

function inOtherCurrency(refund: RefundTransaction): RefundTransaction {
  const { amount, ...rest } = inTwoCurrencies(refund);
  return { ...rest, amount: amount && { ...amount, shop_money: null } };
}

function placesOf(known: readonly RefundTransaction[], seen: readonly RefundTransaction[]): string[] {
  return compareRefunds(known, seen).created.map(({ place }) => place);
}

describe('a refund transaction', () => {
  it('is created once, under its id', () => {
    expect(placesOf([], [refund('x'), refund('y')])).toEqual(['x', 'y']);
    expect(placesOf([refund('x')], [refund('x'), refund('y')])).toEqual(['y']);
  });

  it('with a known id is known, even with another amount', () => {
    const { created, known } = compareRefunds([refund('x', 10)], [refund('x', 12, 'vouchers')]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x', 12, 'vouchers')]);
  });

  it('is one transaction if its id is twice in a list', () => {
    expect(placesOf([], [refund('x', 10), refund('x', 12)])).toEqual(['x']);
  });

  it('is one transaction if a list also shows its id without a gateway', () => {
    const both = [refund('x', 10, null), refund('x')];

    expect(placesOf([], both)).toEqual(['x']);
    expect(compareRefunds([], both.toReversed()).known).toEqual([refund('x')]);
  });

  it('may lack a gateway beside another one that has one', () => {
    expect(placesOf([], [refund('x', 10, null), refund('y')])).toEqual(['x', 'y']);
  });

  it('with the id of another one in the same list is another one if both show their gateways', () => {
    const both = [refund('x'), refund('x', 25, 'vouchers')];

    const atOnce = compareRefunds([], both);
    const later = compareRefunds([refund('x')], both);

    expect(atOnce.created.map(({ place }) => place)).toEqual(['unidentified-1', 'unidentified-2']);
    expect(later.created).toEqual([{ object: refund('x', 25, 'vouchers'), place: 'unidentified-2' }]);
    expect(placesOf(atOnce.known, both.toReversed())).toEqual([]);
    expect(compareRefunds(later.known, both.toReversed()).known).toEqual(both);
    // An answer may show one of them, or leave out the gateway of one.
    expect(placesOf(later.known, [refund('x', 25, 'vouchers')])).toEqual([]);
    expect(placesOf(later.known, [refund('x', 10, null), refund('x', 25, 'vouchers')])).toEqual([]);
  });

  it('stays known under its id if its gateway is renamed', () => {
    const { created, known } = compareRefunds([refund('x')], [refund('x', 10, 'Cards')]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x', 10, 'Cards')]);
  });

  it('stays known, in its published spelling, if its amount gets the noise of floating point', () => {
    for (const id of [null, 'x']) {
      const { created, known } = compareRefunds([refund(id, 19.99)], [refund(id, 13.33 + 6.66)]);

      expect(created).toEqual([]);
      expect(known).toEqual([refund(id, 19.99)]);
    }
    expect(placesOf([refund(null, 19.99)], [refund(null, 20)])).toEqual(['unidentified-2']);
  });

  it('stays known, in its published spelling, if its id becomes a global id, and the reverse', () => {
    const [number, global] = [refund('880001'), refund('gid://shop/OrderTransaction/880001')];

    expect(compareRefunds([number], [global])).toEqual({ created: [], known: [number] });
    expect(compareRefunds([global], [number])).toEqual({ created: [], known: [global] });
  });

  it('is new under such an id with another amount or gateway, or among global ids of another kind', () => {
    const global = 'gid://shop/OrderTransaction/880001';

    expect(placesOf([refund('880001')], [refund(global, 12)])).toEqual([global]);
    expect(placesOf([refund('880001')], [refund(global, 10, 'vouchers')])).toEqual([global]);
    expect(placesOf([refund('gid://shop/Refund/880001')], [refund(global)])).toEqual([global]);
  });

  it('that a snapshot of an earlier release holds with an empty id is known', () => {
    expect(placesOf([refund('')], [refund(null)])).toEqual([]);
    expect(placesOf([refund('')], [refund(null), refund(null, 25)])).toEqual(['unidentified-2']);
    expect(compareRefunds([refund('')], [refund('x')]).known).toEqual([refund('x')]);
  });

  it('without an id is counted by amount and gateway', () => {
    const known = [refund(null), refund(null)];

    expect(placesOf(known, [refund(null), refund(null)])).toEqual([]);
    expect(placesOf(known, [refund(null), refund(null), refund(null)])).toEqual(['unidentified-3']);
    expect(placesOf(known, [refund(null), refund(null), refund(null, 11)])).toEqual(['unidentified-3']);
    expect(placesOf(known, [refund(null), refund(null), refund(null, 10, null)])).toEqual(['unidentified-3']);
  });

  it('without an id never shares its number with another', () => {
    const first = compareRefunds([], [refund(null), refund('x'), refund(null)]);
    const second = compareRefunds(first.known, [...first.known, refund(null), refund(null, 11)]);

    const places = [...first.created, ...second.created].map(({ place }) => place);

    expect(new Set(places).size).toBe(5);
  });

  it('gets its id later without an event, and is known by that id from then on', () => {
    const { created, known } = compareRefunds([refund(null)], [refund('x')]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x')]);
  });

  it('keeps its id if an answer leaves the id out', () => {
    const { created, known } = compareRefunds([refund('x')], [refund(null)]);

    expect(created).toEqual([]);
    expect(known).toEqual([refund('x')]);
  });

  it('gets, among several without an id, the id that has its amount and gateway', () => {
    const unnamed = [refund(null, 10, 'cards'), refund(null, 10, 'vouchers'), refund(null, 12, 'cards')];

    const byGateway = compareRefunds(unnamed, [refund('x', 10, 'vouchers')]);
    const byAmount = compareRefunds(unnamed, [refund('x', 12, 'cards')]);
    const byNothing = compareRefunds(unnamed, [refund('x', 12, 'vouchers')]);

    expect(byGateway.known).toEqual([unnamed[0], refund('x', 10, 'vouchers'), unnamed[2]]);
    expect(byAmount.known).toEqual([unnamed[0], unnamed[1], refund('x', 12, 'cards')]);
    expect(byNothing.created.map(({ place }) => place)).toEqual(['x']);
  });

  it('without an id gets a place by the number of transactions', () => {
    expect(placesOf([refund('x')], [refund('x'), refund(null, 1), refund(null, 2)])).toEqual([
      'unidentified-2',
      'unidentified-3',
    ]);
  });

  it('stays known when it vanishes, and is not created when it comes back', () => {
    const { created, known } = compareRefunds([refund('x'), refund(null)], []);

    expect(created).toEqual([]);
    expect(placesOf(known, [refund(null), refund('x')])).toEqual([]);
  });

  it('with a new id is new, even if it has the amount and gateway of another', () => {
    expect(placesOf([refund('x')], [refund('y')])).toEqual(['y']);
  });

  it.each([
    ['its gateway is sent for the first time', refund(null, 10, null), refund(null)],
    ['it gets its id and its gateway at once', refund(null, 10, null), refund('x')],
    ['an answer leaves out its gateway', refund(null), refund(null, 10, null)],
    ['an answer leaves out its id and its gateway', refund('x'), refund(null, 10, null)],
    ['it gets its amount later', { ...refund(null), amount: null }, refund(null)],
    ['an answer leaves out its amount', refund('x'), { ...refund(null), amount: null }],
    ['it is shown in a second currency', refund(null), inTwoCurrencies(refund(null))],
  ])('is not created again if %s', (_, before, after) => {
    const { created, known } = compareRefunds([before], [after]);

    expect(created).toEqual([]);
    expect(placesOf(known, [before])).toEqual([]);
    expect(placesOf(known, [after])).toEqual([]);
  });

  it.each([
    ['the shop’s currency', refund(null)],
    ['the buyer’s currency', inOtherCurrency(refund(null))],
  ])('keeps its amounts if an answer shows only %s', (_, shown) => {
    const known = [inTwoCurrencies(refund(null))];

    expect(compareRefunds(known, [shown]).known).toEqual(known);
  });

  it('is new if its amount, gateway or id differs', () => {
    const known = [refund('x')];

    expect(placesOf(known, [refund(null, 11, null)])).toEqual(['unidentified-2']);
    expect(placesOf(known, [refund(null, 10, 'vouchers')])).toEqual(['unidentified-2']);
    expect(placesOf(known, [refund('y', 10, null)])).toEqual(['y']);
    expect(placesOf(known, [refund('x'), refund(null, 10, null)])).toEqual(['unidentified-2']);
    expect(placesOf(known, [inOtherCurrency(refund(null))])).toEqual(['unidentified-2']);
    expect(placesOf([inTwoCurrencies(refund(null))], [inTwoCurrencies(refund(null, 12))])).toEqual([
      'unidentified-2',
    ]);
  });

  it('is matched by all of its values before it is matched by fewer', () => {
    const known = [refund(null, 10, null), refund(null)];

    expect(compareRefunds(known, [refund('x'), refund(null, 10, null)]).created).toEqual([]);
    expect(compareRefunds(known, [refund('x')]).known).toEqual([refund(null, 10, null), refund('x')]);
  });

  it('is matched in any order of the list', () => {
    const known = [refund(null), refund('x')];

    expect(placesOf(known, [refund('y'), refund(null)])).toEqual([]);
    expect(placesOf(known, [refund(null), refund('y')])).toEqual([]);
  });

  it.each([
    ['with ids', [refund('x', 10), refund('y', 20)]],
    ['with ids in the other order', [refund('y', 10), refund('x', 20)]],
    ['without ids', [refund(null, 10), refund(null, 20)]],
  ])('does not take the only possible match of another refund: %s', (_, completed) => {
    const known = [{ ...refund(null), amount: null }, refund(null, 10, null)];

    expect(placesOf(known, completed)).toEqual([]);
    expect(placesOf(known.toReversed(), completed)).toEqual([]);
    expect(placesOf(known, completed.toReversed())).toEqual([]);
  });

  it('leaves an exact match to another refund that matches nothing else', () => {
    const known = [refund(null), refund('x')];

    const { created, known: all } = compareRefunds(known, [refund('y', 10, null), refund(null)]);

    expect(created).toEqual([]);
    expect(all).toEqual([refund('y'), refund('x')]);
  });

  it('is new if its only possible match is an exact match of another refund', () => {
    expect(placesOf([refund(null)], [refund('x', 10, null), refund(null)])).toEqual(['x']);
  });

  it('takes a match that is free before one that it must take from another', () => {
    const known = [refund(null), refund(null, 10, null)];

    const { known: all } = compareRefunds(known, [{ ...refund('x', 10, null), amount: null }, refund(null)]);

    expect(all).toEqual([refund(null), refund('x', 10, null)]);
  });

  it('takes its first match if the refunds that it displaces find other matches', () => {
    const known = [refund(null, 10, null), refund(null, 10, 'vouchers'), refund(null, 12, null)];

    const seen = [refund('x', 10, 'vouchers'), refund('y', 10), refund('z', 12)];

    expect(compareRefunds(known, seen).known.map(({ platform_id: id }) => id)).toEqual(['y', 'x', 'z']);
  });

  // A limit (docs/limits.md): either known one can be the one that is shown alone.
  it('is announced again if it was taken for another one that was shown incompletely', () => {
    const known = [{ ...refund(null), amount: null }, refund(null, 10, null)];

    const { created, known: all } = compareRefunds(known, [refund(null, 10)]);

    expect(created).toEqual([]);
    expect(placesOf(all, [refund(null, 10), refund(null, 20)])).toEqual(['unidentified-3']);
  });

  it('leaves a known id its transaction, even if another refund is then announced as new', () => {
    const known = [refund('x', 10, null), refund(null, 10, 'vouchers')];

    expect(placesOf(known, [refund('x', 10, 'vouchers'), refund(null)])).toEqual(['unidentified-3']);
  });
});

describe('a group with a new refund', () => {
  it('publishes the refund, and keeps it when the list is empty', () => {
    const snapshot = snapshotOf(read(aRow()));
    const grown = aRow((row) => {
      row.refund_transactions = [
        { type: 'refund_transaction', platform_id: 'new', amount: {}, gateway: null },
      ];
    });

    const taken = take(snapshot, read(grown, 2 * MINUTE));
    const after = take(taken.snapshot, read({ ...aRow(), refund_transactions: [] }, 4 * MINUTE));

    expect(inShort(taken.events)).toEqual([['refund_transaction.created', 'new']]);
    expect(taken.events[0]?.data).not.toHaveProperty('previous_attributes');
    expect(after.verdict).toBe('unchanged');
  });
});

// A nullable string may be empty. All refunds with an empty id counted as one: only the first was ever published.
it.each([
  ['null', null],
  ['empty', ''],
])('a group with two refunds whose ids are %s publishes each of them', (_, platform_id) => {
  const withRefunds = (...amounts: number[]) =>
    aRow((row) => {
      row.refund_transactions = amounts.map((amount) => ({
        ...{ type: 'refund_transaction', platform_id, gateway: 'cards' },
        amount: { shop_money: { amount, currency_code: 'EUR' } },
      }));
    });
  const snapshot = snapshotOf(read(withRefunds()));

  const first = take(snapshot, read(withRefunds(10), 2 * MINUTE));
  const second = take(first.snapshot, read(withRefunds(10, 25), 4 * MINUTE));
  const both = take(snapshot, read(withRefunds(10, 25), 2 * MINUTE));

  expect(inShort(first.events)).toEqual([['refund_transaction.created', 'unidentified-1']]);
  expect(inShort(second.events)).toEqual([['refund_transaction.created', 'unidentified-2']]);
  expect(both.events.map(({ data }) => data.object)).toMatchObject([
    { platform_id: null, amount: { shop_money: { amount: 10 } } },
    { platform_id: null, amount: { shop_money: { amount: 25 } } },
  ]);
});

it('a refund with an id beside an equal one without is published, not the known one again', () => {
  const withRefunds = (...ids: (string | null)[]) =>
    aRow((row) => {
      row.refund_transactions = ids.map((platform_id) => ({
        ...{ type: 'refund_transaction', platform_id, gateway: 'cards' },
        amount: { shop_money: { amount: 25, currency_code: 'EUR' } },
      }));
    });
  const snapshot = snapshotOf(read(withRefunds()));
  const first = take(snapshot, read(withRefunds(null), 2 * MINUTE));

  const second = take(first.snapshot, read(withRefunds(null, 'tx-1'), 4 * MINUTE));

  expect(inShort(second.events)).toEqual([['refund_transaction.created', 'tx-1']]);
});
