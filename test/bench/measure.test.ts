import { describe, expect, it } from 'vitest';
import { type Change, delaysOf, mostWithin, quantile, wrongAt } from './measure.ts';

describe('the delay of a change', () => {
  it('is counted as never for a change that the reader does not know', () => {
    const evidence = evidenceWith([changed(10, 'IN_TRANSIT')], []);

    expect(delaysOf(evidence)).toEqual({ known: [], never: 1, unseen: 0 });
    expect(quantile(delaysOf(evidence), 0.5)).toBe(Number.POSITIVE_INFINITY);
    expect([wrongAt(9, evidence), wrongAt(60, evidence)]).toEqual([0, 1]);
  });

  it('ends when the reader knows a later state of the entity', () => {
    const changes = [changed(10, 'IN_TRANSIT'), changed(12, 'DELIVERED')];

    expect(delaysOf(evidenceWith(changes, [changed(15, 'DELIVERED')])).known).toEqual([3, 5]);
  });

  it('does not exist for a change that is undone before a reading', () => {
    const changes = [changed(10, 'IN_TRANSIT'), changed(12, 'CREATED'), changed(20, 'FAILED')];

    const delays = delaysOf(evidenceWith(changes, [changed(21, 'FAILED')]));

    expect(delays).toEqual({ known: [1], never: 0, unseen: 2 });
  });

  it('does not end when the reader learns an older state', () => {
    const evidence = evidenceWith(
      [changed(10, 'DELIVERED')],
      [changed(5, 'CREATED'), changed(15, 'CREATED')],
    );

    expect(delaysOf(evidence)).toEqual({ known: [], never: 1, unseen: 0 });
    expect(wrongAt(60, evidence)).toBe(1);
  });
});

it('counts the times of the fullest window', () => {
  expect(mostWithin(10, [0, 1, 9, 10, 11, 12, 40])).toBe(4);
});

const ENTITY = 'return-groups/1/shipments/17';

function evidenceWith(changes: readonly Change[], sightings: readonly Change[]) {
  return { opening: new Map([[ENTITY, 'CREATED']]), changes, sightings };
}

function changed(at: number, status: string): Change {
  return { at, entity: ENTITY, state: status };
}
