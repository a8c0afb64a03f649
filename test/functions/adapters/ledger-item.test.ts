import { isDeepStrictEqual } from 'node:util';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { itemBytes, type StoredItem } from '../../../functions/adapters/attribute-values.ts';
import {
  cutLedgerItem,
  fromLedgerItem,
  numbersOf,
  toLedgerItem,
  toLedgerItems,
} from '../../../functions/adapters/ledger-item.ts';
import { decodeBody, encodeBody } from '../../../functions/adapters/stored-body.ts';
import { UnreadableItemError } from '../../../functions/adapters/stored-format.ts';
import { aKey, anEvent } from '../../contract/sample-saves.ts';

const KEY = aKey(184_467);
const EXPIRES = 1_766_275_200;
const eventItem = () => toLedgerItem(KEY, anEvent(KEY, 42), EXPIRES);
const eventsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => anEvent(KEY, first + at));
/** Holds the numbers 44 to 46. */
const listItem = () => toLedgerItems(KEY, eventsFrom(43, 200), EXPIRES)[1] ?? {};
const bodyOf = (item: StoredItem) => item.b?.B ?? new Uint8Array();

function withBody(item: StoredItem, change: (body: never) => unknown): StoredItem {
  return { ...item, b: { B: encodeBody(change(decodeBody(bodyOf(item)) as never)) } };
}

test('one write unit is enough for an event', () => {
  expect(itemBytes(eventItem())).toBeLessThan(400);
});

describe('the items of a save', () => {
  test('hold one event each if there are few enough', () => {
    const events = eventsFrom(5, 90);

    const items = toLedgerItems(KEY, events, EXPIRES);

    expect(items).toEqual(events.map((event) => toLedgerItem(KEY, event, EXPIRES)));
  });

  test.each([91, 92, 178, 179, 180, 1_000, 10_000])(
    'are at most 90, the first with one event: %i events',
    (count) => {
      const events = eventsFrom(5, count);

      const items = toLedgerItems(KEY, events, EXPIRES);

      const sizes = items.map((item) => numbersOf(item).last - numbersOf(item).first + 1);
      expect(items.length).toBeLessThanOrEqual(90);
      expect(sizes[0]).toBe(1);
      expect(Math.max(...sizes)).toBe(Math.ceil((count - 1) / 89));
      expect(items.flatMap((item) => fromLedgerItem(item, KEY))).toEqual(
        events.map((event, at) => ({ sequence: 5 + at, event })),
      );
    },
  );
});

describe('an item without its first events', () => {
  test('holds the others', () => {
    const item = cutLedgerItem(listItem(), 44);

    expect(item).toMatchObject({ k: listItem().k, n: { N: '46' }, x: { N: String(EXPIRES) } });
    expect(fromLedgerItem(item, KEY).map(({ sequence }) => sequence)).toEqual([45, 46]);
  });

  test('is the item of a single event if one is left', () => {
    const item = cutLedgerItem(listItem(), 45);

    expect(item).toEqual(toLedgerItem(KEY, anEvent(KEY, 46), EXPIRES));
  });

  test('is an error that contains none of it if it is damaged', () => {
    const cutting = () => cutLedgerItem({ ...listItem(), b: { B: deflateSync('["Rosalind') } }, 44);

    expect(cutting).toThrow(UnreadableItemError);
    expect(cutting).not.toThrow('Rosa');
  });
});

describe('additions of later releases', () => {
  const later = { z9: { S: 'what is this' } };

  test('around an event are ignored, but the event itself is unchanged', () => {
    const item = withBody({ ...eventItem(), ...later }, (event: object) => ({
      ...event,
      type: 'parcel.lost',
      colour: 'blue',
    }));

    const entries = fromLedgerItem(item, KEY);

    expect(entries).toEqual([
      { sequence: 42, event: { ...anEvent(KEY, 42), type: 'parcel.lost', colour: 'blue' } },
    ]);
  });

  test('make the entries of an unknown format undecodable', () => {
    const items = [eventItem(), listItem()].map((item) => ({ ...item, v: { N: '2' } }));

    const entries = items.flatMap((item) => fromLedgerItem(item, KEY));

    expect(entries).toEqual(
      [42, 44, 45, 46].map((sequence) => ({
        sequence,
        undecodable: expect.stringContaining('format 2'),
      })),
    );
  });
});

describe('a damaged item', () => {
  test.each([
    ['one event', eventItem()],
    ['several events', listItem()],
  ])('of %s is undecodable with any wrong byte that means something', (_, sound) => {
    const damaged = (at: number) => {
      const bytes = Uint8Array.from(bodyOf(sound));
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      return { ...sound, b: { B: bytes } };
    };

    const unharmed = fromLedgerItem(sound, KEY);
    const misread = [...bodyOf(sound)].filter((_, at) => {
      const entries = fromLedgerItem(damaged(at), KEY);
      const isDetected =
        entries.length === unharmed.length && entries.every((entry) => 'undecodable' in entry);
      // The last bits before the checksum only fill a byte.
      return !isDetected && !isDeepStrictEqual(entries, unharmed);
    });

    expect(misread).toEqual([]);
  });

  test.each([
    ['cut short', { b: { B: bodyOf(eventItem()).subarray(0, 40) } }],
    ['without a body', { b: undefined }],
    ['with a body of another kind', { b: { S: 'text' } }],
    ['that is no JSON', { b: { B: deflateSync('{"id": "Rosa') } }],
    ['that is no event', { b: { B: encodeBody({ id: 'Rosalind' }) } }],
    ['that is another one', { b: { B: encodeBody(anEvent(KEY, 41)) } }],
    ['that is a list', { b: { B: encodeBody([anEvent(KEY, 42)]) } }],
  ])('%s is undecodable, and the reason contains none of it', (_, damage) => {
    const entries = fromLedgerItem({ ...eventItem(), ...damage } as StoredItem, KEY);

    expect(entries).toEqual([{ sequence: 42, undecodable: expect.any(String) }]);
    expect(JSON.stringify(entries)).not.toContain('Rosa');
  });

  test.each([
    ['whose list has a wrong event', (events: object[]) => events.with(1, { id: 'Rosalind' }), [45]],
    ['whose list is too short', (events: object[]) => events.slice(0, 2), [46]],
    ['whose list has the wrong order', (events: object[]) => events.toReversed(), [44, 46]],
    ['that has no list', (events: object[]) => events[0], [44, 45, 46]],
  ])('%s is undecodable there', (_, change, expected) => {
    const entries = fromLedgerItem(withBody(listItem(), change), KEY);

    const undecodable = entries.filter((entry) => 'undecodable' in entry);
    expect(entries.map(({ sequence }) => sequence)).toEqual([44, 45, 46]);
    expect(undecodable.map(({ sequence }) => sequence)).toEqual(expected);
    expect(JSON.stringify(undecodable)).not.toContain('Rosa');
  });
});
