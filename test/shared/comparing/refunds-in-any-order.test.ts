// Properties of refunds that a service shows without their ids, in part, and in any order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRefunds } from '../../../shared/comparing/refunds.ts';
import type { RefundTransaction } from '../../../shared/contract/entities.ts';
import { runs } from '../../property-runs.ts';
import { refund } from './a-refund.ts';

describe('refund transactions of a service that hides some ids', () => {
  // Each transaction has an id, an amount and a gateway. An answer shows all of them, or all but the id.
  const truth = fc.uniqueArray(
    fc.record({ id: fc.nat(20), amount: fc.constantFrom(1, 2), gateway: fc.constantFrom('cards', null) }),
    { selector: ({ id }) => id, maxLength: 6 },
  );
  const answers = fc.array(
    fc.record({ upTo: fc.nat(6), hidden: fc.array(fc.nat(20)), order: fc.integer({ min: 1, max: 97 }) }),
    { minLength: 1, maxLength: 8 },
  );

  it('are each created exactly once', () => {
    fc.assert(
      fc.property(truth, answers, (transactions, shown) => {
        let known: readonly RefundTransaction[] = [];
        let most = 0;
        const places: string[] = [];
        for (const { upTo, hidden, order } of shown) {
          most = Math.max(most, Math.min(upTo, transactions.length));
          const seen = transactions
            .slice(0, most)
            .map(({ id, amount, gateway }) => refund(hidden.includes(id) ? null : `t${id}`, amount, gateway))
            .sort((a, b) => scramble(a, order) - scramble(b, order));
          const compared = compareRefunds(known, seen);
          known = compared.known;
          places.push(...compared.created.map(({ place }) => place));
        }

        expect(places).toHaveLength(most);
        expect(new Set(places).size).toBe(most);
      }),
    );
  });
});

describe('refund transactions that vanish, come, and get or lose their ids', () => {
  const transactions = fc.array(
    fc.record({
      ...{ amount: fc.constantFrom(1, 2), gateway: fc.constantFrom('cards', null) },
      ...{ isNew: fc.boolean(), vanishes: fc.boolean(), named: fc.tuple(fc.boolean(), fc.boolean()) },
    }),
    { maxLength: 7 },
  );

  it('are announced no more often than they come', () => {
    fc.assert(
      fc.property(transactions, fc.integer({ min: 1, max: 97 }), (all, order) => {
        const shown = (reading: 0 | 1, isShown: (one: (typeof all)[number]) => boolean) =>
          all
            .map((one, n) => ({
              isThere: isShown(one),
              refund: refund(one.named[reading] ? `t${n}` : null, one.amount, one.gateway),
            }))
            .flatMap(({ isThere, refund }) => (isThere ? [refund] : []))
            .sort((a, b) => scramble(a, order) - scramble(b, order));
        const before = shown(0, ({ isNew }) => !isNew);
        const after = shown(1, ({ isNew, vanishes }) => isNew || !vanishes);

        const { known } = compareRefunds([], before);
        const { created } = compareRefunds(known, after);

        expect(created.length).toBeLessThanOrEqual(all.filter(({ isNew }) => isNew).length);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

/** A pseudo-random rank that follows from a number. */
function scramble(transaction: RefundTransaction, order: number): number {
  const codes = [...JSON.stringify(transaction)].map((character) => character.charCodeAt(0));
  return codes.reduce((mixed, code) => (mixed * order + code) % 101, 0);
}
