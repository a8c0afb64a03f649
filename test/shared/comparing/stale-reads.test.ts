import { describe, expect, it } from 'vitest';
import { withStamp } from '../../../shared/comparing/stale-reads.ts';
import { DAY, MINUTE, SECOND } from '../../../shared/instant.ts';
import { aRow, instantOf, type Row, read, SETTLE, snapshotOf, take } from './a-reading.ts';

const BEFORE = '2026-11-20T10:15:02.123456Z';
const NEWER = '2026-11-20T10:15:02.123457Z';
const ROUNDED = '2026-11-20T10:15:02Z';
const OLDER = '2026-11-20T10:15:01.123455Z';

/** The answer to the first reading was received half a second after its request was sent. */
const SETTLED = SECOND / 2 + SETTLE;

function delivered(updatedAt: string): Row {
  return aRow((row) => {
    row.updated_at = updatedAt;
    for (const shipment of row.shipments) shipment.status = 'DELIVERED';
  });
}

describe('a reading that differs', () => {
  it.each([
    ['has a newer stamp, also if it was sent earlier', NEWER, -MINUTE],
    ['has the same stamp, but was sent `settle` after the last was received', BEFORE, SETTLED],
    ['has a stamp that is rounded, but was sent `settle` after the last was received', ROUNDED, SETTLED],
  ])('is news if it %s', (_, stamp, after) => {
    const snapshot = snapshotOf(read(aRow()));

    const taken = take(snapshot, read(delivered(stamp), after));

    expect(taken.events.map(({ type }) => type)).toEqual(['shipment.status_changed']);
    expect(taken.snapshot?.updatedAt).toBe(instantOf(stamp));
  });

  it.each([
    ['the same stamp', BEFORE],
    ['a stamp that is rounded', ROUNDED],
  ])('is left for later if it has %s and may be stale', (_, stamp) => {
    const snapshot = snapshotOf(read(aRow()));

    const taken = take(snapshot, read(delivered(stamp), SETTLED - 1));

    expect(taken).toEqual({ verdict: 'left', snapshot, events: [] });
  });

  it('is older if its stamp is more than a second before the known one, however late it comes', () => {
    const snapshot = snapshotOf(read(aRow()));

    const taken = take(snapshot, read(delivered(OLDER), DAY));

    expect(taken).toEqual({ verdict: 'older', snapshot, events: [] });
  });

  it('is news with an older stamp once that is proved', () => {
    const snapshot = snapshotOf(read(aRow()));

    const taken = take(snapshot, read(delivered(OLDER), DAY), { acceptsOlder: true });

    expect(taken.events.map(({ type }) => type)).toEqual(['shipment.status_changed']);
    expect(taken.snapshot?.updatedAt).toBe(instantOf(OLDER));
  });

  it('only in its context is also left for later', () => {
    const snapshot = snapshotOf(read(aRow()));
    const row = aRow();
    row.order.name = '#renamed';

    expect(take(snapshot, read(row, SETTLED - 1)).verdict).toBe('left');
    expect(take(snapshot, read(row, SETTLED)).verdict).toBe('differs');
  });

  it('is measured against the reading of the snapshot, not against the group', () => {
    const second = take(snapshotOf(read(aRow())), read(delivered(NEWER), 10 * MINUTE)).snapshot;

    const stale = take(second, read(aRow(), 10 * MINUTE + SETTLED - 1));

    expect(stale.verdict).toBe('left');
  });
});

describe('a change of the stamp only', () => {
  it('is saved without an event if it is newer', () => {
    const snapshot = snapshotOf(read(aRow()));

    const taken = take(
      snapshot,
      read(
        aRow((row) => Object.assign(row, { updated_at: NEWER })),
        SECOND,
      ),
    );

    expect(taken).toMatchObject({ verdict: 'differs', events: [] });
    expect(taken.snapshot).toMatchObject({
      version: 2,
      sequence: snapshot.sequence,
      updatedAt: instantOf(NEWER),
      projection: { group: { updated_at: NEWER } },
    });
  });

  it.each([0, SETTLED])('is ignored if the stamp is older, %i µs later', (after) => {
    const snapshot = snapshotOf(read(aRow()));

    const taken = take(
      snapshot,
      read(
        aRow((row) => Object.assign(row, { updated_at: OLDER })),
        after,
      ),
    );

    expect(taken).toEqual({ verdict: 'unchanged', snapshot, events: [] });
  });
});

describe('the time of an event', () => {
  it("is the group's stamp at the first reading", () => {
    const [event] = take(undefined, read(aRow())).events;

    expect(event?.time).toBe('2026-11-20T10:15:02.123456Z');
  });

  it.each([
    ['the stamp if it moved forward', '2026-11-20T11:15:02.5+01:00', '2026-11-20T10:15:02.500000Z'],
    ['the moment of the answer if the stamp stayed', BEFORE, '2026-11-20T10:17:03.500000Z'],
    ['the moment of the answer if the stamp went back', ROUNDED, '2026-11-20T10:17:03.500000Z'],
  ])('is %s', (_, stamp, time) => {
    const snapshot = snapshotOf(read(aRow()));

    const { events } = take(snapshot, read(delivered(stamp), 2 * MINUTE));

    expect(events.map((event) => event.time)).toEqual([time]);
  });
});

describe('the observation of an event', () => {
  it('reaches from the last reading minus `settle` to the answer with the change', () => {
    const snapshot = snapshotOf(read(aRow()));
    const change = read(delivered(BEFORE), 5 * MINUTE, { through: 'reconciliation' });

    const [event] = take(snapshot, change).events;
    const [remembered] = take(snapshot, change, { lastSeenAt: snapshot.sentAt + 4 * MINUTE }).events;

    expect(event?.data.observed).toEqual({
      after: '2026-11-20T10:14:03.000000Z',
      by: '2026-11-20T10:20:03.500000Z',
      through: 'reconciliation',
    });
    expect(remembered?.data.observed.after).toBe('2026-11-20T10:18:03.000000Z');
  });

  // Seed 663327: of two consecutive answers the older arrived last, and showed a change that was undone before the
  // newer.
  it('begins at the reading of the snapshot if the last one followed too soon to tell which is older', () => {
    const snapshot = snapshotOf(read(aRow()));
    const shownAt = { lastSeenAt: snapshot.sentAt + 4 * MINUTE };

    const [unstamped] = take(snapshot, read(delivered(BEFORE), 4.5 * MINUTE), shownAt).events;
    const [stamped] = take(snapshot, read(delivered(NEWER), 4.5 * MINUTE), shownAt).events;

    expect(unstamped?.data.observed.after).toBe('2026-11-20T10:14:03.000000Z');
    expect(stamped?.data.observed.after).toBe('2026-11-20T10:18:03.000000Z');
  });

  it('never begins before the reading of the snapshot', () => {
    const snapshot = snapshotOf(read(aRow()));

    const [event] = take(snapshot, read(delivered(BEFORE), 5 * MINUTE), { lastSeenAt: 0 }).events;

    expect(event?.data.observed.after).toBe('2026-11-20T10:14:03.000000Z');
  });

  it('does not begin at a reading that left out or lacked the entity', () => {
    const snapshot = snapshotOf(read(aRow()));
    const { shipments: _, ...withoutShipments } = aRow();
    const order = { ...withoutShipments.order, name: '#renamed' };

    const partial = take(snapshot, read({ ...withoutShipments, order }, 2 * MINUTE)).snapshot;
    const [change] = take(partial, read(delivered(BEFORE), 5 * MINUTE)).events;
    const remembered = take(snapshot, read({ ...withoutShipments, order }, 2 * MINUTE), {
      lastSeenAt: snapshot.sentAt + MINUTE,
    }).snapshot;
    const lacking = take(snapshot, read({ ...withoutShipments, shipments: [] }, 2 * MINUTE)).snapshot;
    const [removal] = take(lacking, read({ ...withoutShipments, shipments: [] }, 5 * MINUTE)).events;

    expect(change?.data.observed.after).toBe('2026-11-20T10:14:03.000000Z');
    expect(removal?.data.observed.after).toBe('2026-11-20T10:14:03.000000Z');
    expect(remembered?.sentAt).toBe(snapshot.sentAt + MINUTE);
  });
});

describe('a reading without a readable stamp', () => {
  const unstamped = () => {
    const reading = read(aRow(), 0, { updatedAt: 1 });
    return {
      ...reading,
      projection: { ...reading.projection, group: { ...reading.projection.group, updated_at: undefined } },
    };
  };

  it('has the stamp that is known, if one is', () => {
    const snapshot = snapshotOf(read(aRow()));

    expect(withStamp(unstamped(), snapshot)).toEqual({ ...unstamped(), updatedAt: snapshot.updatedAt });
    expect(withStamp(unstamped(), undefined)).toEqual(unstamped());
  });

  it('is another one than a reading with its own', () => {
    const snapshot = { ...snapshotOf(read(aRow())), updatedAt: 7 };

    expect(withStamp(read(aRow()), snapshot)).toEqual(read(aRow()));
  });
});
