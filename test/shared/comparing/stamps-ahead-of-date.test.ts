import { describe, expect, it } from 'vitest';
import { compareReading } from '../../../shared/comparing/compare-reading.ts';
import { HOUR, MINUTE } from '../../../shared/instant.ts';
import { aRow, FIRST_READ, OPTIONS, read } from './a-reading.ts';

describe('a group with stamps ahead of Date', () => {
  it('was last shown completely before an answer that shows a new array and leaves another out', () => {
    const ahead = { createdAt: FIRST_READ + 2 * HOUR };
    const first = aRow((row) => Reflect.deleteProperty(row, 'exchange_line_items'));
    const second = aRow((row) => Reflect.deleteProperty(row, 'shipments'));

    const known = compareReading(undefined, read(first, 0, ahead), OPTIONS);
    const snapshot = known.verdict === 'differs' ? known.saves.at(-1)?.snapshot : undefined;
    const next = compareReading(snapshot, read(second, 5 * MINUTE, ahead), OPTIONS);

    expect(next.verdict === 'differs' && next.saves.at(-1)?.snapshot.sentAt).toBe(FIRST_READ);
  });
});
