// A change set that is too large for one transaction, published in parts, with a crash after any part.
import { describe, expect, it } from 'vitest';
import { compareReading } from '../../../shared/comparing/compare-reading.ts';
import { createUnknowable, type FieldsSince } from '../../../shared/comparing/known-fields.ts';
import type { Reading, Snapshot } from '../../../shared/comparing/snapshot.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { MAX_EVENTS_PER_SAVE } from '../../../shared/limits.ts';
import type { Save } from '../../../shared/ports.ts';
import { checkSave } from '../../../shared/recording/check-save.ts';
import {
  aRow,
  FIRST_READ,
  instantOf,
  OPTIONS,
  type Row,
  read,
  snapshotOf,
  stored,
  take,
} from './a-reading.ts';

/** A row with 100 line items, 100 shipments, 20 exchanges and 30 refunds without ids, all in the given status. */
function large(status = 'OPEN'): Row {
  return aRow((row) => {
    row.returns = many(100, row.returns, (item, id) => ({ ...item, id, status }));
    row.shipments = many(100, row.shipments, (shipment, id) => ({ ...shipment, id, status }));
    row.exchange_line_items = many(20, row.exchange_line_items, (item, id) => ({
      ...item,
      id: `e${id}`,
      status,
    }));
    row.refund_transactions = many(30, row.refund_transactions, (refund) => ({
      ...refund,
      platform_id: null,
    }));
  });
}

function withManyReturns(): Row {
  return { ...large(), returns: many(200, large().returns, (item, id) => ({ ...item, id })) };
}

/** A row with two of each. */
function small(): Row {
  const row = large();
  row.returns = row.returns.slice(0, 2);
  row.shipments = row.shipments.slice(0, 2);
  row.exchange_line_items = row.exchange_line_items.slice(0, 2);
  row.refund_transactions = row.refund_transactions.slice(0, 2);
  return row;
}

function many<Entity>(count: number, [like]: readonly Entity[], make: (like: Entity, id: number) => Entity) {
  if (like === undefined) throw new Error('There is nothing to make many of.');
  return Array.from({ length: count }, (_, index) => make(like, index + 1));
}

function savesOf(snapshot: Snapshot | undefined, reading: Reading): readonly Save[] {
  const compared = compareReading(snapshot, reading, OPTIONS);
  return compared.verdict === 'differs' ? compared.saves : [];
}

function subjectsOf(saves: readonly Save[]): string[] {
  return saves.flatMap(({ events }) => events.map(({ subject, type }) => `${type} ${subject}`));
}

/** A new group, a small group that grows and changes, and a large group that loses most. */
const SETTINGS: readonly [string, () => Snapshot | undefined, Row, number][] = [
  ['a first reading', () => undefined, large(), 251],
  ['a group that grows', () => snapshotOf(read(small())), large(), 242],
  ['a group whose entities all change', () => snapshotOf(read(large())), large('CANCELED'), 220],
  [
    'a group that loses most',
    () => take(snapshotOf(read(large())), read({ ...large('CANCELED'), returns: [] }, 2 * MINUTE)).snapshot,
    { ...large('COMPLETED'), returns: [] },
    220,
  ],
  [
    'a group whose line items were left out before',
    () => snapshotOf(read({ ...withManyReturns(), returns: undefined })),
    withManyReturns(),
    200,
  ],
];

describe.each(SETTINGS)('the changes of %s', (_, snapshotBefore, row, count) => {
  const savesMade = () => savesOf(snapshotBefore(), read(row, 5 * MINUTE));

  it('take as many saves as needed, each continuing from the one before', () => {
    const saves = savesMade();

    let version = snapshotBefore()?.version ?? 0;
    for (const save of saves) {
      checkSave({ source: 'acme', generation: 'mi8x2k', group: 184_467 }, save);
      expect(save.expectedVersion).toBe(version);
      version += 1;
    }

    expect(saves.map(({ events }) => events.length).reduce((a, b) => a + b)).toBe(count);
    expect(saves).toHaveLength(Math.ceil(count / MAX_EVENTS_PER_SAVE));
    expect(saves[0]?.events).toHaveLength(MAX_EVENTS_PER_SAVE);
  });

  it('have the stamp and the times of their reading in every save, and `sentAt` only in the last', () => {
    const { updatedAt, createdAt, receivedAt, sentAt } = read(row, 5 * MINUTE);

    const saves = savesMade();

    for (const save of saves) expect(save.snapshot).toMatchObject({ updatedAt, createdAt, receivedAt });
    expect(saves.at(-1)?.snapshot.sentAt).toBe(sentAt);
    for (const save of saves.slice(0, -1)) expect(save.snapshot.sentAt).toBeLessThan(sentAt);
  });

  it.each([1, 2])('are published completely after a crash behind save %i', (done) => {
    const saves = savesMade();
    const crashed = stored(saves[done - 1]?.snapshot);

    const rest = savesOf(crashed, read(row, 10 * MINUTE));
    const finished = savesOf(stored(rest.at(-1)?.snapshot), read(row, 15 * MINUTE));

    const published = [...subjectsOf(saves.slice(0, done)), ...subjectsOf(rest)];
    expect(published.toSorted()).toEqual(subjectsOf(saves).toSorted());
    expect(rest[0]?.events[0]?.data.sequence).toBe((crashed?.sequence ?? 0) + 1);
    expect(rest.at(-1)?.snapshot.sequence).toBe(saves.at(-1)?.snapshot.sequence);
    expect(contentOf(rest.at(-1)?.snapshot)).toEqual(contentOf(saves.at(-1)?.snapshot));
    expect(finished).toEqual([]);
  });

  it('are left for later after a crash while the reading may be stale', () => {
    const crashed = stored(savesMade()[0]?.snapshot);

    const compared = compareReading(crashed, read(row, 5 * MINUTE), OPTIONS);

    expect(compared.verdict).toBe('left');
  });

  it('keep the lower bound of their observation after a crash', () => {
    const saves = savesMade();

    const rest = savesOf(stored(saves[0]?.snapshot), read(row, 10 * MINUTE));

    // A group that is new exists since its creation at 08:00, less the 26 hours that Date may be behind, and `settle`.
    const whole = saves[0]?.events[0]?.data.observed.after ?? '2026-11-17T05:59:00.000001Z';
    expect(new Set(rest.flatMap(({ events }) => events.map(({ data }) => data.observed.after)))).toEqual(
      new Set([whole]),
    );
  });
});

describe('the remaining events of a new group after a crash', () => {
  it.each([
    ['two hours ahead, by a zone that they do not name', '2026-11-20T12:10:00', '2026-11-20T10:10:00Z'],
    ['hours ago, by a zone that they do not name', '2026-11-20T09:00:00', '2026-11-20T07:00:00Z'],
    ['ahead of the service’s Date', '2026-11-20T10:40:00Z', '2026-11-20T10:10:00Z'],
    ['long ago, by stamps that run hours ahead of Date', '2026-11-18T08:00:00Z', '2026-11-18T05:00:00Z'],
  ])('do not begin their observation after the group’s creation, stamped %s', (_, stamp, shownFrom) => {
    const row = { ...large(), created_at: stamp, updated_at: stamp };
    const [first] = savesOf(undefined, read(row));

    const rest = savesOf(stored(first?.snapshot), read(row, 10 * MINUTE));

    const afters = rest.flatMap(({ events }) => events.map(({ data }) => String(data.observed.after)));
    expect(afters).not.toEqual([]);
    for (const after of afters) expect(instantOf(after)).toBeLessThanOrEqual(instantOf(shownFrom));
  });
});

describe('what is filled in beside many changes', () => {
  /** The service begins to send carriers, and then all line items change without a newer stamp. */
  const without = () => withoutCarriers(large());
  const changed = () => ({ ...large(), returns: large('COMPLETED').returns });
  const carriersSince = { 'shipment.carrier': read(large(), 5 * MINUTE).sentAt };

  function withoutCarriers(row: Row): Row {
    return {
      ...row,
      shipments: row.shipments.map(({ carrier, ...shipment }) => shipment) as Row['shipments'],
    };
  }

  /** Makes the first `done` saves of a reading. */
  function partOf(snapshot: Snapshot, reading: Reading, fieldsSince: FieldsSince, done = 100) {
    const unknowable = createUnknowable({ fieldsSince, wholeWalks: [] }, snapshot, reading);
    const compared = compareReading(snapshot, reading, { ...OPTIONS, unknowable });
    const saves = compared.verdict === 'differs' ? compared.saves.slice(0, done) : [];
    return { snapshot: stored(saves.at(-1)?.snapshot ?? snapshot), events: subjectsOf(saves) };
  }

  it.each([1, 2])('is no change after a crash behind save %i', (done) => {
    const first = partOf(snapshotOf(read(without())), read(changed(), 5 * MINUTE), carriersSince, done);

    const rest = partOf(first.snapshot, read(changed(), 10 * MINUTE), carriersSince);

    const all = [...first.events, ...rest.events];
    expect(all).toHaveLength(100);
    expect(all.filter((event) => event.includes('shipment'))).toEqual([]);
    expect(rest.snapshot.unpublished['shipment/1']).toEqual({ carrier: null });
  });

  it.each([1, 2])('is no change after a crash behind save %i, if the other changes are undone', (done) => {
    const allChanged = { ...changed(), shipments: large('CANCELED').shipments };
    const first = partOf(snapshotOf(read(without())), read(allChanged, 5 * MINUTE), carriersSince, done);
    const undone = { ...changed(), shipments: large().shipments };

    const rest = partOf(first.snapshot, read(undone, 10 * MINUTE), carriersSince);

    const published = first.events.filter((event) => event.includes('shipment'));
    expect(rest.events.filter((event) => event.includes('shipment'))).toHaveLength(published.length);
    expect(rest.snapshot.unpublished['shipment/100']).toEqual({ carrier: null });
  });

  it('is part of an event that comes after a crash', () => {
    const allChanged = { ...changed(), shipments: large('CANCELED').shipments };
    const first = partOf(snapshotOf(read(without())), read(allChanged, 5 * MINUTE), carriersSince, 1);

    const rest = savesOf(first.snapshot, read(allChanged, 10 * MINUTE));

    const last = rest
      .flatMap(({ events }) => events)
      .find(({ subject }) => subject.endsWith('shipments/100'));
    expect(last?.data).toMatchObject({ previous_attributes: { status: 'OPEN', carrier: null } });
    expect(rest.at(-1)?.snapshot.unpublished).toEqual({});
  });

  it('may be a whole array, which is no change after a crash either', () => {
    const bare = { ...large(), shipments: undefined, refund_transactions: undefined };
    const since = { ...carriersSince, 'shipment.id': carriersSince['shipment.carrier'] };
    const fieldsSince = { ...since, 'refund_transaction.id': since['shipment.id'] };
    const first = partOf(snapshotOf(read(bare)), read(changed(), 5 * MINUTE), fieldsSince, 1);

    const rest = partOf(first.snapshot, read(changed(), 10 * MINUTE), fieldsSince);

    expect([...first.events, ...rest.events]).toHaveLength(100);
    expect(rest.snapshot.projection.shipments).toHaveLength(100);
    expect(rest.snapshot.projection.refund_transactions).toHaveLength(30);
  });
});

describe('the first of several saves', () => {
  it('holds no array that shows for the first time: its events have no lower bound after a crash either', () => {
    const row = { ...large(), returns: large('COMPLETED').returns };
    const saves = savesOf(snapshotOf(read({ ...large(), shipments: undefined })), read(row, 5 * MINUTE));

    const rest = savesOf(stored(saves[0]?.snapshot), read(row, 10 * MINUTE));

    expect(saves[0]?.snapshot.projection.shipments).toBeUndefined();
    const shipments = rest.flatMap(({ events }) => events).filter(({ type }) => type === 'shipment.created');
    expect(shipments).toHaveLength(100);
    for (const { data } of shipments) expect(data.observed.after).toBeNull();
  });

  it('holds an empty array that shows for the first time: it needs no event', () => {
    const snapshot = snapshotOf(read({ ...large(), exchange_line_items: undefined }));
    const row = { ...large('COMPLETED'), exchange_line_items: [] };

    const [first] = savesOf(snapshot, read(row, 5 * MINUTE));

    expect(first?.snapshot.projection.exchange_line_items).toEqual([]);
  });

  it('holds no absence of an entity that shows again, whether it changed or not', () => {
    const lacking = { ...large(), exchange_line_items: large().exchange_line_items.slice(2) };
    const back = [
      ...large('COMPLETED').exchange_line_items.slice(0, 1),
      ...large().exchange_line_items.slice(1),
    ];
    const row = { ...large('COMPLETED'), exchange_line_items: back };
    const { snapshot } = take(snapshotOf(read(large())), read(lacking, 2 * MINUTE));

    const [first] = savesOf(snapshot, read(row, 5 * MINUTE));

    expect(Object.keys(snapshot?.absences ?? {})).toHaveLength(2);
    expect(first?.snapshot.absences).toEqual({});
  });

  it('notes nothing as unpublished if nothing is filled in', () => {
    const [first] = savesOf(snapshotOf(read(large())), read(large('CANCELED'), 5 * MINUTE));

    expect(first?.snapshot.unpublished).toEqual({});
  });
});

describe('the number of saves', () => {
  it.each([
    [0, 1],
    [MAX_EVENTS_PER_SAVE - 1, 1],
    [MAX_EVENTS_PER_SAVE, 1],
    [MAX_EVENTS_PER_SAVE + 1, 2],
    [2 * MAX_EVENTS_PER_SAVE, 2],
  ])('for %i new shipments and a newer stamp is %i', (count, expected) => {
    const snapshot = snapshotOf(read({ ...aRow(), shipments: [] }));
    const row = aRow((row) => {
      row.updated_at = '2026-11-20T10:16:00Z';
      row.shipments = many(count, row.shipments, (shipment, id) => ({ ...shipment, id }));
    });

    expect(savesOf(snapshot, read(row, 2 * MINUTE))).toHaveLength(expected);
  });
});

/** The parts of a snapshot that a later comparison uses, without the times. */
function contentOf(snapshot: Snapshot | undefined): unknown {
  const { projection, absences, unpublished, sequence } = snapshot ?? {};
  const entities = Object.values(projection ?? {}).flatMap((value) => value ?? []);
  return {
    absences,
    unpublished,
    sequence,
    entities: entities.map((entity) => JSON.stringify(entity)).sort(),
  };
}

describe('changes that just fit one transaction', () => {
  it('take one save, with the complete reading', () => {
    const snapshot = snapshotOf(read(large()));
    const changed = aRow((row) => {
      Object.assign(row, large());
      row.returns = row.returns.map((item, index) =>
        index < MAX_EVENTS_PER_SAVE ? { ...item, status: 'CANCELED' } : item,
      );
      row.order = { ...row.order, name: 'renamed' };
    });

    const saves = savesOf(snapshot, read(changed, 2 * MINUTE));

    expect(saves.map(({ events }) => events.length)).toEqual([MAX_EVENTS_PER_SAVE]);
    expect(saves[0]?.snapshot.projection.group.order.name).toBe('renamed');
    expect(saves[0]?.snapshot.sentAt).toBe(FIRST_READ + 2 * MINUTE);
  });
});
