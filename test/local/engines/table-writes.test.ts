import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredItem } from '../../../functions/adapters/attribute-values.ts';
import { onPut } from '../../../local/engines/table-writes.ts';
import { aKey, aSave } from '../../contract/sample-saves.ts';
import { connect, openTables, storesOn, type TestTables } from '../../contract/stores.ts';
import { anEvent } from '../../shared/publishing/an-event.ts';

let engine: TestTables;

beforeAll(async () => {
  engine = await openTables();
});
afterAll(() => engine.close());

/** Stores on a client of their own, and the writes that this client reported. */
function watched(table: keyof TestTables['tables']) {
  const client = connect(engine.endpoint);
  const put: StoredItem[][] = [];
  onPut(client, engine.tables[table], (items) => put.push([...items]));
  return { stores: storesOn(client, engine.tables), put, end: () => client.destroy() };
}

const keysOf = (put: readonly StoredItem[][]) => put.map((items) => items.map(({ k }) => k?.S));

test('reports the events of a save, not its snapshot', async () => {
  const { stores, put, end } = watched('ledger');

  await stores.snapshots.save(aKey(1), aSave(aKey(1), undefined, 2));
  end();

  expect(keysOf(put)).toEqual([['acme_mi8x2k_1', 'acme_mi8x2k_1']]);
});

test('reports an appended event once it can be read', async () => {
  const { stores, put, end } = watched('ledger');

  await stores.ledger.append(aKey('feed'), anEvent(aKey('feed'), 1));
  end();

  expect(keysOf(put)).toEqual([['acme_mi8x2k_feed']]);
});

test('reports a failed write, because it may have taken effect', async () => {
  const { stores, put, end } = watched('ledger');
  await stores.ledger.append(aKey(21), anEvent(aKey(21), 1));

  await stores.ledger.append(aKey(21), anEvent(aKey(21), 1, 'another'));
  end();

  expect(keysOf(put)).toEqual([['acme_mi8x2k_21'], ['acme_mi8x2k_21']]);
});

test('reports no reads', async () => {
  const { stores, put, end } = watched('snapshots');

  await stores.snapshots.load(aKey(1), [1, 2, 3]);
  end();

  expect(put).toEqual([]);
});
