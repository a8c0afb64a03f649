import { createHash, randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { itemBytes, type StoredItem } from '../../../functions/adapters/attribute-values.ts';
import { fromLedgerItem, toLedgerItem } from '../../../functions/adapters/ledger-item.ts';
import { fromSnapshotItem, toSnapshotItem } from '../../../functions/adapters/snapshot-item.ts';
import {
  fromSourceStateItem,
  toSourceStateAttributes,
} from '../../../functions/adapters/source-state-item.ts';
import { decodeBody, encodeBody, isSameBody } from '../../../functions/adapters/stored-body.ts';
import { DICTIONARY } from '../../../functions/adapters/stored-body-dictionary.ts';
import { UnreadableItemError } from '../../../functions/adapters/stored-format.ts';
import { ACME, aKey, anEvent, aSnapshot } from '../../contract/sample-saves.ts';
import { aState } from '../../contract/sample-states.ts';

const KEY = aKey(184_467);
const SNAPSHOT = aSnapshot(184_467, 3, {
  sequence: 42,
  absences: { 'shipment/7': 5 },
  unpublished: { 'shipment/7': { carrier: null } },
});
const snapshotItem = () => toSnapshotItem(ACME, SNAPSHOT);
const eventItem = () => toLedgerItem(KEY, anEvent(KEY, 42), 1_766_275_200);
const stateItem = () => ({ n: { N: '1' }, ...toSourceStateAttributes(aState('acme')) });
const bodyOf = (item: StoredItem) => item.b?.B ?? new Uint8Array();

/** The item with a changed body. */
function withBody(item: StoredItem, change: (body: Record<string, never>) => unknown): StoredItem {
  return { ...item, b: { B: encodeBody(change(decodeBody(bodyOf(item)) as Record<string, never>)) } };
}

describe('one write unit is enough for', () => {
  test('a snapshot of three line items, a shipment and an exchange', () => {
    expect(itemBytes(snapshotItem())).toBeLessThan(720);
  });

  test('an event', () => {
    expect(itemBytes(eventItem())).toBeLessThan(400);
  });
});

test('a snapshot is read as it was written, with its digest', () => {
  const digested = { ...SNAPSHOT, digest: '12.34' };

  expect(fromSnapshotItem(snapshotItem())).toEqual(SNAPSHOT);
  expect(fromSnapshotItem(toSnapshotItem(ACME, digested))).toEqual(digested);
});

// Bodies that were stored with another dictionary can't be read.
test('the dictionary of bodies does not change', () => {
  expect(createHash('sha256').update(DICTIONARY).digest('hex')).toMatchInlineSnapshot(
    `"ebd0a187a9e01222b3e847a577effdd33411f25b723f4992ca23543eb0fab7eb"`,
  );
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

  test('around an event, but the event itself is unchanged', () => {
    const item = withBody({ ...eventItem(), ...later }, (event) => ({
      ...event,
      type: 'parcel.lost',
      colour: 'blue',
    }));

    const entry = fromLedgerItem(item, KEY);

    expect(entry).toEqual({
      sequence: 42,
      event: { ...anEvent(KEY, 42), type: 'parcel.lost', colour: 'blue' },
    });
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

  test('of an event makes that entry undecodable', () => {
    const entry = fromLedgerItem({ ...eventItem(), ...later }, KEY);

    expect(entry).toMatchObject({ sequence: 42, undecodable: expect.stringContaining('format 2') });
  });
});

describe('a damaged event', () => {
  const sound = eventItem();
  const damaged = (at: number) => {
    const bytes = Uint8Array.from(bodyOf(sound));
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    return { ...sound, b: { B: bytes } };
  };

  test('is undecodable with any wrong byte', () => {
    const entries = bodyOf(sound).map((_, at) => ('undecodable' in fromLedgerItem(damaged(at), KEY) ? 1 : 0));

    expect(entries.indexOf(0)).toBe(-1);
  });

  test.each([
    ['cut short', { ...sound, b: { B: bodyOf(sound).subarray(0, 40) } }],
    ['without a body', { k: { S: 'acme_mi8x2k_184467' }, n: { N: '42' }, v: { N: '1' } }],
    ['with a body of another kind', { ...sound, b: { S: 'text' } }],
    ['that is no JSON', { ...sound, b: { B: deflateSync('{"id": "Rosa') } }],
    ['that is no event', { ...sound, b: { B: encodeBody({ id: 'Rosalind' }) } }],
    ['that is another one', { ...sound, b: { B: encodeBody(anEvent(KEY, 41)) } }],
  ])('%s is undecodable, and the reason contains none of it', (_, item) => {
    const entry = fromLedgerItem(item as StoredItem, KEY);

    expect(entry).toMatchObject({ sequence: 42, undecodable: expect.any(String) });
    expect(JSON.stringify(entry)).not.toContain('Rosa');
  });
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
