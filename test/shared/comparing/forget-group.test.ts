import { expect, test } from 'vitest';
import { forgetGroup, isForgotten } from '../../../shared/comparing/forget-group.ts';
import { removeGroup } from '../../../shared/comparing/remove-group.ts';
import type { EventOf } from '../../../shared/contract/event.ts';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { aRow, FIRST_READ, OPTIONS, read, SETTLE, snapshotOf, stored, take } from './a-reading.ts';

const NOW = FIRST_READ + 10 * MINUTE;
const SOURCE = { source: 'acme', generation: 'mi8x2k' };

test('only the id, the version and the last sequence number of a group remain', () => {
  const snapshot = snapshotOf(read(aRow()));

  const tombstone = stored(forgetGroup(snapshot, SOURCE, NOW, true).snapshot);

  const { groupId, version, sequence, removedAt } = tombstone;
  expect(tombstone.projection.group).toMatchObject({ type: 'return_group', id: 184_467 });
  expect({ groupId, version, sequence, removedAt }).toEqual({
    groupId: 184_467,
    version: 2,
    sequence: snapshot.sequence + 1,
    removedAt: NOW,
  });
  const texts: readonly string[] = JSON.stringify(tombstone).match(/"[^"]*"/g) ?? [];
  const known = JSON.stringify(snapshot).match(/"[^"]*"(?!:)/g) ?? [];
  expect(known.filter((text) => texts.includes(text) && text !== '"return_group"')).toEqual([]);
  expect(JSON.stringify(tombstone)).not.toContain(String(snapshot.updatedAt));
});

test('an event with nothing but the id follows the last number', () => {
  const snapshot = snapshotOf(read(aRow()));

  const [event, ...others] = forgetGroup(snapshot, SOURCE, NOW, true).events;
  const silent = forgetGroup(snapshot, SOURCE, NOW, false);

  const { data } = event as EventOf<'return_group.forgotten'>;
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    type: 'return_group.forgotten',
    subject: 'return-groups/184467',
    data: { sequence: snapshot.sequence + 1, object: { type: 'return_group', id: 184_467 } },
  });
  expect(Object.keys({ ...data.object, ...data.return_group }).sort()).toEqual(['id', 'type']);
  expect([silent.events, silent.snapshot.sequence]).toEqual([[], snapshot.sequence]);
});

test('a group that returns is published as created, with the next sequence number', () => {
  const tombstone = stored(forgetGroup(snapshotOf(read(aRow())), SOURCE, NOW, true).snapshot);
  const later = { sentAt: NOW + SETTLE, receivedAt: NOW + SETTLE + SECOND };

  const back = take(tombstone, { ...read(aRow()), ...later });

  expect(back.events[0]).toMatchObject({ type: 'return_group.created', data: { sequence: 8 } });
  expect(back.events.every(({ type }) => type.endsWith('.created'))).toBe(true);
});

test('a read that may be stale does not bring a group back', () => {
  const tombstone = stored(forgetGroup(snapshotOf(read(aRow())), SOURCE, NOW, true).snapshot);
  const stale = { sentAt: NOW + SETTLE - 1, receivedAt: NOW + SETTLE };

  const back = take(tombstone, { ...read(aRow()), ...stale });

  expect(back.verdict).toBe('left');
});

test('a group that was published as removed is also forgotten, once', () => {
  const snapshot = snapshotOf(read(aRow()));
  const gone = { sentAt: NOW - MINUTE, receivedAt: NOW - MINUTE, through: 'reconciliation' } as const;
  const removed = removeGroup(snapshot, gone, OPTIONS)?.snapshot;
  if (removed === undefined) throw new Error('The group was not removed.');

  const tombstone = stored(forgetGroup(stored(removed), SOURCE, NOW, true).snapshot);

  expect([snapshot, removed, tombstone].map(isForgotten)).toEqual([false, false, true]);
  expect(tombstone.projection.group.order.name).toBeNull();
});
