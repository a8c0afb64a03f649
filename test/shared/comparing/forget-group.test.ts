import { expect, test } from 'vitest';
import { forgetGroup, isForgotten } from '../../../shared/comparing/forget-group.ts';
import { removeGroup } from '../../../shared/comparing/remove-group.ts';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { aRow, FIRST_READ, OPTIONS, read, SETTLE, snapshotOf, stored, take } from './a-reading.ts';

const NOW = FIRST_READ + 10 * MINUTE;

test('only the id, the version and the last sequence number of a group remain', () => {
  const snapshot = snapshotOf(read(aRow()));

  const tombstone = stored(forgetGroup(snapshot, NOW));

  const { groupId, version, sequence, removedAt } = tombstone;
  expect(tombstone.projection.group).toMatchObject({ type: 'return_group', id: 184_467 });
  expect({ groupId, version, sequence, removedAt }).toEqual({
    groupId: 184_467,
    version: 2,
    sequence: snapshot.sequence,
    removedAt: NOW,
  });
  const texts: readonly string[] = JSON.stringify(tombstone).match(/"[^"]*"/g) ?? [];
  const known = JSON.stringify(snapshot).match(/"[^"]*"(?!:)/g) ?? [];
  expect(known.filter((text) => texts.includes(text) && text !== '"return_group"')).toEqual([]);
  expect(JSON.stringify(tombstone)).not.toContain(String(snapshot.updatedAt));
});

test('a group that returns is published as created, with the next sequence number', () => {
  const tombstone = stored(forgetGroup(snapshotOf(read(aRow())), NOW));
  const later = { sentAt: NOW + SETTLE, receivedAt: NOW + SETTLE + SECOND };

  const back = take(tombstone, { ...read(aRow()), ...later });

  expect(back.events[0]).toMatchObject({ type: 'return_group.created', data: { sequence: 7 } });
  expect(back.events.every(({ type }) => type.endsWith('.created'))).toBe(true);
});

test('a read that may be stale does not bring a group back', () => {
  const tombstone = stored(forgetGroup(snapshotOf(read(aRow())), NOW));
  const stale = { sentAt: NOW + SETTLE - 1, receivedAt: NOW + SETTLE };

  const back = take(tombstone, { ...read(aRow()), ...stale });

  expect(back.verdict).toBe('left');
});

test('a group that was published as removed is also forgotten, once', () => {
  const snapshot = snapshotOf(read(aRow()));
  const gone = { sentAt: NOW - MINUTE, receivedAt: NOW - MINUTE, through: 'reconciliation' } as const;
  const removed = removeGroup(snapshot, gone, OPTIONS)?.snapshot;
  if (removed === undefined) throw new Error('The group was not removed.');

  const tombstone = stored(forgetGroup(stored(removed), NOW));

  expect([snapshot, removed, tombstone].map(isForgotten)).toEqual([false, false, true]);
  expect(tombstone.projection.group.order.name).toBeNull();
});
