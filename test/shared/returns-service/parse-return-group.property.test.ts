import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DOCUMENTED_RESOURCES } from '../../../shared/returns-service/documented-resources.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { arbitraryOf } from './arbitrary-of-schema.ts';
import { withValue } from './sample-rows.ts';

const documentedRows = arbitraryOf(DOCUMENTED_RESOURCES.ReturnGroup).map(
  (row) => row as Record<string, unknown>,
);

/** Documented rows with one random place replaced or deleted. */
const corruptRows = fc
  .tuple(documentedRows, fc.infiniteStream(fc.nat()), fc.oneof(fc.jsonValue(), fc.constant(undefined)))
  .map(([row, choices, value]) => {
    let holder: Record<string, unknown> = row;
    for (const choice of choices) {
      const names = Object.keys(holder);
      const name = names[choice % Math.max(names.length, 1)] ?? 'added';
      const inner = holder[name];
      if (typeof inner === 'object' && inner !== null && choice % 3 > 0) {
        holder = inner as Record<string, unknown>;
        continue;
      }
      if (value === undefined) delete holder[name];
      else holder[name] = value;
      break;
    }
    return row;
  });

describe('every row', () => {
  it('is parsed without an exception, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), corruptRows), (raw) => {
        expect(['readable', 'unreadable']).toContain(parseReturnGroup(raw).kind);
      }),
    );
  });

  it('is readable if it is documented, but for entities with one id and different values', () => {
    fc.assert(
      fc.property(documentedRows, (raw) => {
        const row = parseReturnGroup(raw);

        const faults = row.kind === 'readable' ? row.faults : [{ shape: row.reason }];
        for (const { shape } of faults) expect(shape).toBe('is shown with different values');
      }),
    );
  });

  it('has nothing in its group but what the row has in the same place', () => {
    fc.assert(
      fc.property(documentedRows, (raw) => {
        const row = parseReturnGroup(raw);
        if (row.kind === 'unreadable' || row.faults.length > 0) return;

        expect(raw).toMatchObject(JSON.parse(JSON.stringify(row.group)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a reason', () => {
  it('never quotes the row', () => {
    const taint = 'Rosalind';
    const tainted = fc.oneof(fc.constant(taint), fc.constant([taint]), fc.constant({ [taint]: taint }));
    const places = fc.constantFrom(
      'id',
      'updated_at',
      'returns',
      'returns.0',
      'returns.0.id',
      'returns.0.status',
      'returns.0.quantity',
      'shipments.0.return_ids',
      'exchange_line_items.0.id',
      'exchange_line_items.0.status',
      'refund_transactions.0.amount',
    );
    fc.assert(
      fc.property(places, tainted, (place, value) => {
        const row = parseReturnGroup(withValue(place, value));

        const said = row.kind === 'unreadable' ? row : row.faults;
        expect(JSON.stringify(said)).not.toContain(taint);
      }),
    );
  });
});
