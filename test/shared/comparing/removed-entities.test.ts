import { describe, expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../../shared/instant.ts';
import { aRow, inShort, type Row, read, SETTLE, snapshotOf, take } from './a-reading.ts';

/** The sample row without its first line item. */
function shorter(change: (row: Row) => void = () => {}): Row {
  return aRow((row) => {
    row.returns = row.returns.slice(1);
    change(row);
  });
}

const REMOVED = [['return_line_item.removed', '1844671']];
const FIRST_ABSENCE = 2 * MINUTE;
const SETTLED = FIRST_ABSENCE + SECOND / 2 + SETTLE;

function afterFirstAbsence() {
  return take(snapshotOf(read(aRow())), read(shorter(), FIRST_ABSENCE));
}

describe('an entity that an answer lacks', () => {
  it('is noted with the time of the answer, and still known', () => {
    const { verdict, snapshot, events } = afterFirstAbsence();

    expect(verdict).toBe('differs');
    expect(events).toEqual([]);
    expect(snapshot?.absences).toEqual({ 'return_line_item/1844671': snapshot?.receivedAt });
    expect(snapshot?.projection.return_line_items?.map(({ id }) => id)).toEqual([1_844_672, 1_844_671]);
  });

  it('is published as removed, with its last known state, once an answer `settle` later lacks it too', () => {
    const { snapshot } = afterFirstAbsence();

    const taken = take(snapshot, read(shorter(), SETTLED));

    expect(inShort(taken.events)).toEqual(REMOVED);
    expect(taken.events[0]?.data.object).toEqual(
      read(aRow()).projection.return_line_items?.find((item) => item?.id === 1_844_671),
    );
    expect(taken.snapshot).toMatchObject({ absences: {}, sequence: 7 });
    expect(taken.snapshot?.projection.return_line_items).toHaveLength(1);
  });

  it('is kept with the time of its first absence while removals are held', () => {
    const { snapshot } = afterFirstAbsence();
    const held = { keepsMissing: true };

    const first = take(snapshotOf(read(aRow())), read(shorter(), FIRST_ABSENCE), held);
    const again = take(snapshot, read(shorter(stamped('2026-11-20T10:19:00Z')), SETTLED), held);

    expect(first.snapshot?.absences).toEqual(snapshot?.absences);
    expect(again.events).toEqual([]);
    expect(again.snapshot?.absences).toEqual(snapshot?.absences);
  });

  it('is not published earlier, and needs no save meanwhile', () => {
    const { snapshot } = afterFirstAbsence();

    expect(take(snapshot, read(shorter(), SETTLED - 1)).verdict).toBe('unchanged');
  });

  it('is published with the first newer stamp after `settle`, also after other saves in between', () => {
    const { snapshot } = afterFirstAbsence();
    const between = take(snapshot, read(shorter(stamped('2026-11-20T10:17:30Z')), SETTLED - SECOND)).snapshot;

    const taken = take(between, read(shorter(stamped('2026-11-20T10:17:31Z')), SETTLED));

    expect(between?.absences).toEqual(snapshot?.absences);
    expect(inShort(taken.events)).toEqual(REMOVED);
  });

  it('is left for later if the reading itself may be stale', () => {
    const { snapshot } = afterFirstAbsence();
    const between = take(snapshot, read(shorter(stamped('2026-11-20T10:17:30Z')), SETTLED - SECOND)).snapshot;

    const taken = take(between, read(shorter(stamped('2026-11-20T10:17:30Z')), SETTLED));

    expect(taken.verdict).toBe('left');
  });

  it('loses its absence once it shows again; a later absence starts again', () => {
    const { snapshot } = afterFirstAbsence();
    const back = take(snapshot, read(aRow(), SETTLED));

    const again = take(back.snapshot, read(shorter(), SETTLED + 2 * MINUTE));

    expect(back.events).toEqual([]);
    expect(back.snapshot?.absences).toEqual({});
    expect(again.events).toEqual([]);
    expect(again.snapshot?.absences).toEqual({ 'return_line_item/1844671': again.snapshot?.receivedAt });
  });

  it('loses its absence even if its list then equals the kept list', () => {
    const withoutLast = aRow((row) => {
      row.returns = row.returns.slice(0, 1);
    });
    const { snapshot } = take(snapshotOf(read(aRow())), read(withoutLast, FIRST_ABSENCE));

    const back = take(snapshot, read(aRow(), SETTLED));

    expect(snapshot?.projection.return_line_items?.map(({ id }) => id)).toEqual([1_844_671, 1_844_672]);
    expect(back.snapshot?.absences).toEqual({});
  });

  it('is created again when it comes back after its removal', () => {
    const { snapshot } = take(afterFirstAbsence().snapshot, read(shorter(), SETTLED));

    const { events } = take(snapshot, read(aRow(), SETTLED + 2 * MINUTE));

    expect(inShort(events)).toEqual([['return_line_item.created', '1844671']]);
  });
});

describe('an array that an answer leaves out', () => {
  // A limit (docs/limits.md): a fault that drops an array looks the same as a service that leaves out empty arrays.
  it('keeps its last entity for days, until it shows another one', () => {
    const withShipments = (shipments: unknown, updated_at: string) => ({ ...aRow(), shipments, updated_at });
    const [parcel] = aRow().shipments;
    const other = [{ ...parcel, id: 99 }];
    let snapshot = snapshotOf(read(aRow()));
    const follow = (shipments: unknown, updated_at: string, after: number) => {
      const taken = take(snapshot, read(withShipments(shipments, updated_at), after));
      snapshot = taken.snapshot ?? snapshot;
      return inShort(taken.events);
    };

    const gone = [1, 2, 3].map((day) => follow(undefined, `2026-11-2${day}T10:00:00Z`, day * DAY));
    const another = follow(other, '2026-11-24T10:00:00Z', 4 * DAY);
    const later = follow(other, '2026-11-24T10:00:00Z', 5 * DAY);

    expect(aRow().shipments).toHaveLength(1);
    expect(gone).toEqual([[], [], []]);
    expect(another).toEqual([['shipment.created', '99']]);
    expect(later).toEqual([['shipment.removed', String(parcel?.id)]]);
  });

  it.each([
    ['absent', undefined],
    ['unreadable', 'none'],
  ])('changes nothing in its entities if it is %s', (_, value) => {
    const snapshot = snapshotOf(read(aRow()));
    const partial = aRow((row) => {
      Object.assign(row, {
        returns: value,
        shipments: value,
        exchange_line_items: value,
        refund_transactions: value,
      });
    });

    const first = take(snapshot, read(partial, 2 * MINUTE));
    const second = take(first.snapshot, read(partial, 5 * MINUTE));

    expect(first).toMatchObject({ verdict: 'unchanged', events: [] });
    expect(second).toMatchObject({ verdict: 'unchanged', events: [] });
  });

  it('does not change a noted absence', () => {
    const { snapshot } = afterFirstAbsence();
    const partial = { ...shorter(stamped('2026-11-20T10:17:30Z')), returns: undefined };

    const between = take(snapshot, read(partial, SETTLED));
    const after = take(
      between.snapshot,
      read(shorter(stamped('2026-11-20T10:17:30Z')), SETTLED + 2 * MINUTE),
    );

    expect(between.events).toEqual([]);
    expect(between.snapshot?.absences).toEqual(snapshot?.absences);
    expect(inShort(after.events)).toEqual(REMOVED);
  });

  it('announces its entities when it shows for the first time, without a lower bound of their time', () => {
    const snapshot = snapshotOf(read({ ...aRow(), shipments: undefined, refund_transactions: undefined }));

    const { events } = take(snapshot, read(aRow(), 2 * MINUTE));

    expect(inShort(events)).toEqual([
      ['shipment.created', '1844670'],
      ['refund_transaction.created', 'refund-184467'],
    ]);
    expect(events.map(({ data }) => data.observed.after)).toEqual([null, null]);
  });

  it('announces none that is older than a silent baseline, except refunds, which tell no time', () => {
    const silent = { isOld: () => true, isOldEntity: () => true };
    const snapshot = snapshotOf(
      read({ ...aRow(), shipments: undefined, refund_transactions: undefined }),
      silent,
    );

    const taken = take(snapshot, read(aRow(), 2 * MINUTE), silent);
    const grown = take(taken.snapshot, read(aRow(addShipment), 4 * MINUTE), silent);

    expect(inShort(taken.events)).toEqual([['refund_transaction.created', 'refund-184467']]);
    expect(taken.snapshot?.projection.shipments).toHaveLength(1);
    expect(taken.snapshot?.projection.refund_transactions).toHaveLength(1);
    expect(inShort(grown.events)).toEqual([['shipment.created', '9']]);
  });
});

function stamped(updatedAt: string): (row: Row) => void {
  return (row) => {
    row.updated_at = updatedAt;
  };
}

function addShipment(row: Row): void {
  row.shipments = [...row.shipments, ...row.shipments.map((shipment) => ({ ...shipment, id: 9 }))];
}
