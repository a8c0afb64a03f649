import { describe, expect, it } from 'vitest';
import { removeGroup } from '../../../shared/comparing/remove-group.ts';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import { EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { aRow, FIRST_READ, inShort, OPTIONS, read, SETTLE, snapshotOf, stored, take } from './a-reading.ts';

function lookUp(after: number) {
  const sentAt = FIRST_READ + after;
  return { sentAt, receivedAt: sentAt + SECOND / 2, through: 'reconciliation' } as const;
}

function buried(snapshot: Snapshot, after: number): Snapshot {
  const save = removeGroup(snapshot, lookUp(after), OPTIONS);
  if (save === undefined) throw new Error('The look-up may be stale.');
  return stored(save.snapshot);
}

describe('a group that is gone', () => {
  it('makes one event with its last known state, at the moment of the look-up', () => {
    const snapshot = snapshotOf(read(aRow()));

    const save = removeGroup(snapshot, lookUp(10 * MINUTE), OPTIONS);

    expect(save).toMatchObject({ expectedVersion: 1, snapshot: { version: 2, sequence: 7 } });
    expect(save?.events).toHaveLength(1);
    expect(save?.events[0]).toMatchObject({
      id: 'acme_mi8x2k_184467_7',
      type: 'return_group.removed',
      subject: 'return-groups/184467',
      time: '2026-11-20T10:25:03.500000Z',
      data: {
        sequence: 7,
        object: snapshot.projection.group,
        observed: {
          after: '2026-11-20T10:14:03.000000Z',
          by: '2026-11-20T10:25:03.500000Z',
          through: 'reconciliation',
        },
      },
    });
    expect(EVENT_SCHEMAS['return_group.removed'].parse(save?.events[0])).toStrictEqual(save?.events[0]);
  });

  it('is published in its last published state, without fields that were filled in since', () => {
    const before = snapshotOf(read(aRow()));
    const snapshot = { ...before, unpublished: { 'return_group/184467': { credit_method: null } } };

    const save = removeGroup(snapshot, lookUp(10 * MINUTE), OPTIONS);

    expect(before.projection.group.credit_method).not.toBeNull();
    expect(save?.events[0]?.data.object).toEqual({ ...before.projection.group, credit_method: null });
  });

  // Events of its parts have published them meanwhile. Found by seed 3303400 of the simulation.
  it('has such fields in the header of its event', () => {
    const before = snapshotOf(read(aRow()));
    const snapshot = { ...before, unpublished: { 'return_group/184467': { return_method: null } } };

    const save = removeGroup(snapshot, lookUp(10 * MINUTE), OPTIONS);

    expect(before.projection.group.return_method).not.toBeNull();
    expect(save?.events[0]?.data).toMatchObject({
      return_group: { return_method: before.projection.group.return_method },
      object: { return_method: null },
    });
  });

  it('existed when it was last seen unchanged, if that time is known', () => {
    const snapshot = snapshotOf(read(aRow()));
    const lastSeenAt = FIRST_READ + 5 * MINUTE;

    const save = removeGroup(snapshot, lookUp(10 * MINUTE), { ...OPTIONS, lastSeenAt });

    expect(save?.events[0]?.data.observed.after).toBe('2026-11-20T10:19:03.000000Z');
  });

  it('leaves a tombstone that keeps its numbers and no entities', () => {
    const [absences, unpublished] = [{ 'shipment/1844670': 1 }, { 'shipment/1844670': { carrier: null } }];
    const snapshot = { ...snapshotOf(read(aRow())), absences, unpublished };

    const tombstone = buried(snapshot, 10 * MINUTE);

    const { receivedAt, sentAt } = lookUp(10 * MINUTE);
    const { groupId, updatedAt, createdAt, projectionVersion, projection } = snapshot;
    expect(tombstone).toEqual({
      ...{ groupId, updatedAt, createdAt, projectionVersion, sentAt, receivedAt },
      ...{ version: 2, sequence: 7, removedAt: receivedAt, absences: {}, unpublished: {} },
      projection: { group: projection.group },
    });
  });

  it('is not published if the look-up may be older than the last reading', () => {
    const snapshot = snapshotOf(read(aRow()));
    const settled = SECOND / 2 + SETTLE;

    expect(removeGroup(snapshot, lookUp(settled - 1), OPTIONS)).toBeUndefined();
    expect(removeGroup(snapshot, lookUp(settled), OPTIONS)).toBeDefined();
  });

  it('is not published twice', () => {
    const tombstone = buried(snapshotOf(read(aRow())), 10 * MINUTE);

    expect(() => removeGroup(tombstone, lookUp(20 * MINUTE), OPTIONS)).toThrow(
      new RangeError('Group 184467 has only a tombstone: it was removed or forgotten.'),
    );
  });
});

describe('a group that comes back', () => {
  it('is created again with all its entities, and continues its sequence', () => {
    const tombstone = buried(snapshotOf(read(aRow())), 10 * MINUTE);

    const back = take(tombstone, read(aRow(), 20 * MINUTE), { isOld: () => true });

    expect(inShort(back.events)).toEqual([
      ['return_group.created', '184467'],
      ['return_line_item.created', '1844671'],
      ['return_line_item.created', '1844672'],
      ['shipment.created', '1844670'],
      ['exchange_line_item.created', 'exchange-184467'],
      ['refund_transaction.created', 'refund-184467'],
    ]);
    expect(back.events.map(({ data }) => data.sequence)).toEqual([8, 9, 10, 11, 12, 13]);
    expect(back.events.map(({ data }) => data.observed.after)).toEqual(Array(6).fill(null));
    expect(back.snapshot).toMatchObject({ version: 3, sequence: 13 });
    expect(back.snapshot).not.toHaveProperty('removedAt');
  });

  it('is left for later while the answer may be older than the look-up, even with a newer stamp', () => {
    const tombstone = buried(snapshotOf(read(aRow())), 10 * MINUTE);
    const newer = aRow((row) => Object.assign(row, { updated_at: '2026-11-20T10:24:00Z' }));
    const settled = 10 * MINUTE + SECOND / 2 + SETTLE;

    expect(take(tombstone, read(newer, settled - 1)).verdict).toBe('left');
    expect(take(tombstone, read(aRow(), settled)).verdict).toBe('differs');
  });
});
