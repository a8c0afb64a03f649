// The exact notes and changes of a comparison, as stores and events receive them.
import { describe, expect, it } from 'vitest';
import { atFirstSight, findChanges, type KnownState } from '../../../shared/comparing/change-set.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aRow, OPTIONS, read } from './a-reading.ts';

function known(row: unknown, notes: Partial<KnownState> = {}): KnownState {
  return { projection: atFirstSight(read(row)), absences: {}, unpublished: {}, ...notes };
}

const NOTES = {
  absences: { 'return_line_item/1844671': 5 },
  unpublished: { 'return_line_item/1844672': { quantity: null } },
};

describe('the notes on entities', () => {
  it('stay unchanged, without new ones, if the answer leaves their array out', () => {
    const withoutItems = read({ ...aRow(), returns: undefined }, 2 * MINUTE);

    const { changes, next } = findChanges(known(aRow(), NOTES), withoutItems, OPTIONS);

    expect(changes).toEqual([]);
    expect(next.absences).toStrictEqual(NOTES.absences);
    expect(next.unpublished).toStrictEqual(NOTES.unpublished);
  });

  it('do not appear for an unknown array that is left out', () => {
    const withoutItems = { ...aRow(), returns: undefined };

    const { changes, next } = findChanges(known(withoutItems), read(withoutItems, 2 * MINUTE), OPTIONS);

    expect(changes).toEqual([]);
    expect(next).toStrictEqual(known(withoutItems));
  });

  it('hold the time of the answer that lacks an entity, and nothing unpublished', () => {
    const lacking = read({ ...aRow(), returns: [] }, 2 * MINUTE);

    const { next } = findChanges(known(aRow()), lacking, OPTIONS);

    expect(next.absences).toStrictEqual({
      'return_line_item/1844671': lacking.receivedAt,
      'return_line_item/1844672': lacking.receivedAt,
    });
    expect(next.unpublished).toStrictEqual({});
  });
});

describe('an entity that is published as created', () => {
  it('may have existed before if its array shows for the first time', () => {
    const reading = read(aRow(), 2 * MINUTE);

    const { changes } = findChanges(known({ ...aRow(), shipments: undefined }), reading, OPTIONS);

    const [object] = reading.projection.shipments ?? [];
    expect(changes).toStrictEqual([{ verb: 'created', object, unbounded: true }]);
  });

  it('did not exist before if its array was known', () => {
    const reading = read(aRow(), 2 * MINUTE);

    const { changes } = findChanges(known({ ...aRow(), shipments: [] }), reading, OPTIONS);

    const [object] = reading.projection.shipments ?? [];
    expect(changes).toStrictEqual([{ verb: 'created', object }]);
  });
});
