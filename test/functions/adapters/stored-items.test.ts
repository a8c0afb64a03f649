import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { itemBytes, type StoredItem, storedNumber } from '../../../functions/adapters/attribute-values.ts';
import { fromSnapshotItem, toSnapshotItem } from '../../../functions/adapters/snapshot-item.ts';
import {
  fromSourceStateItem,
  toSourceStateAttributes,
} from '../../../functions/adapters/source-state-item.ts';
import { decodeBody, encodeBody, isSameBody } from '../../../functions/adapters/stored-body.ts';
import { readStored, UnreadableItemError } from '../../../functions/adapters/stored-format.ts';
import { ACME, aSnapshot } from '../../contract/sample-saves.ts';
import { aState } from '../../contract/sample-states.ts';

const SNAPSHOT = aSnapshot(184_467, 3, {
  sequence: 42,
  absences: { 'shipment/7': 5 },
  unpublished: { 'shipment/7': { carrier: null } },
  digest: '12.34',
});
const snapshotItem = () => toSnapshotItem(ACME, SNAPSHOT);
const stateItem = () => ({ n: { N: '1' }, ...toSourceStateAttributes(aState('acme')) });
const bodyOf = (item: StoredItem) => item.b?.B ?? new Uint8Array();

/** The item with a changed body. */
function withBody(item: StoredItem, change: (body: Record<string, never>) => unknown): StoredItem {
  return { ...item, b: { B: encodeBody(change(decodeBody(bodyOf(item)) as Record<string, never>)) } };
}

test('a snapshot of three line items, a shipment and an exchange fits in one write unit', () => {
  expect(itemBytes(snapshotItem())).toBeLessThan(720);
});

test('a snapshot is read as it was written, with its digest', () => {
  const digested = { ...SNAPSHOT, digest: '12.34' };

  expect(fromSnapshotItem(snapshotItem())).toEqual(SNAPSHOT);
  expect(fromSnapshotItem(toSnapshotItem(ACME, digested))).toEqual(digested);
});

describe('additions of later releases are ignored', () => {
  const later = { z9: { S: 'what is this' } };

  test('in a snapshot', () => {
    const item = withBody({ ...snapshotItem(), ...later }, (body) => ({ ...body, colour: 'blue' }));

    expect(fromSnapshotItem(item)).toEqual(SNAPSHOT);
  });

  test('in a state', () => {
    const item = withBody({ ...stateItem(), ...later }, (body) => ({ ...body, colour: 'blue' }));

    expect(fromSourceStateItem(item, 'acme')).toEqual(aState('acme'));
  });
});

describe('an unknown format', () => {
  const later = { v: { N: '2' } };

  test('of a snapshot is an error that names it', () => {
    const read = () => fromSnapshotItem({ ...snapshotItem(), ...later });

    expect(read).toThrow(UnreadableItemError);
    expect(read).toThrow('acme_mi8x2k_184467');
  });

  test('of a state is an error', () => {
    expect(() => fromSourceStateItem({ ...stateItem(), ...later }, 'acme')).toThrow(UnreadableItemError);
  });
});

test('an item whose attributes have another form is an error that names it', () => {
  const read = () =>
    readStored({ k: { S: 'a mark' }, v: { N: '1' } }, { 1: ({ n }) => storedNumber.parse(n) });

  expect(read).toThrow(UnreadableItemError);
  expect(read).toThrow('Stored item "a mark" can\'t be read: another release wrote it, or it is damaged.');
});

test('a damaged snapshot is an error that names it and contains none of it', () => {
  const item = { ...snapshotItem(), b: { B: deflateSync('{"name": "Rosalind"') } };

  const read = () => fromSnapshotItem(item);

  expect(read).toThrow('Snapshot "acme_mi8x2k_184467" can\'t be read.');
  expect(String(errorOf(read).cause)).not.toContain('Rosa');
});

test('unknown properties of a snapshot are not stored', () => {
  const reading = { ...SNAPSHOT, customer: { name: 'Rosalind Quimby' }, through: 'poll' };

  const body = decodeBody(bodyOf(toSnapshotItem(ACME, reading)));

  expect(body).toEqual(decodeBody(bodyOf(snapshotItem())));
});

test('bodies are compared by content', () => {
  const body = encodeBody({ a: 1 });

  expect(isSameBody(body, deflateSync('{"a":1}', { level: 0 }))).toBe(true);
  expect(isSameBody(body, encodeBody({ a: 2 }))).toBe(false);
  expect(isSameBody(body, randomBytes(20))).toBe(false);
});

function errorOf(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
