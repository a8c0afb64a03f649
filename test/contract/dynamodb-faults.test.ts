// What DynamoDB does on bad days and the engine does not by itself, done on the wire between the two.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertBatch } from '../../functions/adapters/dynamodb-batch-insert.ts';
import { DAY, MILLISECOND, SECOND } from '../../shared/instant.ts';
import type { BudgetState, GroupKey } from '../../shared/ports.ts';
import {
  type Fault,
  type FaultyProxy,
  type Json,
  loseAnswer,
  refuse,
  rewriting,
  startFaultyProxy,
} from './faulty-proxy.ts';
import { ACME, aKey, aSave, aSmallSnapshot } from './sample-saves.ts';
import { aState } from './sample-states.ts';
import {
  clockAt,
  connect,
  hastyClock,
  openTables,
  type Stores,
  storesOn,
  type TestTables,
} from './stores.ts';

/** What the SDK's client tries. */
const ATTEMPTS = 4;

let engine: TestTables;
let proxy: FaultyProxy;
let stores: Omit<Stores, 'close'>;
let client: ReturnType<typeof connect>;
let lastGroup = 1_000;

beforeAll(async () => {
  engine = await openTables();
});
afterAll(() => engine.close());
beforeEach(async () => {
  proxy = await startFaultyProxy(engine.endpoint);
  client = connect(proxy.endpoint);
  stores = storesOn(client, engine.tables);
});
afterEach(async () => {
  client.destroy();
  await proxy.close();
});

const freshKey = () => aKey(lastGroup++);
const idOf = (key: GroupKey) => Number(key.group);
const newSaves = (ids: readonly number[]) =>
  ids.map((id) => ({ snapshot: aSmallSnapshot(id), expectedVersion: 0 }));
const countOf = (operation: string) => proxy.operations.filter((asked) => asked === operation).length;
const versionOf = async (key: GroupKey) =>
  (await stores.snapshots.load(key, [idOf(key)])).get(idOf(key))?.version;
const numbersOf = async (key: GroupKey) =>
  (await stores.ledger.read(key, 0, 100)).map((entry) => entry.sequence);

describe('keys that are left unprocessed', () => {
  const ids = [1, 2, 3, 4, 5, 6, 7];

  beforeAll(() => storesOn(engine.client, engine.tables).snapshots.saveAll(ACME, newSaves(ids)));

  test('are asked for again, never taken for absent', async () => {
    proxy.next('BatchGetItem', leaveUnprocessed(4));
    proxy.next('BatchGetItem', leaveUnprocessed(1));

    const found = await stores.snapshots.load(ACME, ids);

    expect([...found.keys()].sort()).toEqual(ids);
    expect(countOf('BatchGetItem')).toBe(3);
  });

  test('may be all of them, for a while', async () => {
    proxy.next('BatchGetItem', leaveUnprocessed(7), 5);

    const found = await stores.snapshots.load(ACME, ids);

    expect(found.size).toBe(7);
  });

  test('make the call fail when they stay so', async () => {
    proxy.next('BatchGetItem', leaveUnprocessed(7), 100);

    await expect(stores.snapshots.load(ACME, ids)).rejects.toThrow('left 7 of 7 keys');
  });
});

describe('a save whose answer is lost', () => {
  test('is answered as saved when the SDK sends it again, and is saved once', async () => {
    const key = freshKey();
    proxy.next('TransactWriteItems', loseAnswer, 2);

    const result = await stores.snapshots.save(key, aSave(key, undefined, 2));

    expect(result).toBe('saved');
    expect(countOf('TransactWriteItems')).toBe(3);
    expect(await numbersOf(key)).toEqual([1, 2]);
  });

  test('is sent under a token of its own, the same each time', async () => {
    const key = freshKey();
    const tokens: string[] = [];
    const noteToken: Fault = ({ body, forward }) => {
      tokens.push(body.ClientRequestToken);
      return forward();
    };
    const save = aSave(key, undefined, 1);
    const other = { ...save, snapshot: { ...save.snapshot, receivedAt: save.snapshot.receivedAt + 1 } };
    proxy.next('TransactWriteItems', noteToken, 3);

    for (const sent of [save, structuredClone(save), other]) await stores.snapshots.save(key, sent);

    expect(tokens[0]).toMatch(/^[\w-]{36}$/);
    expect(tokens[1]).toBe(tokens[0]);
    expect(tokens[2]).not.toBe(tokens[0]);
  });

  test('fails when every answer is lost, and is answered as saved when it is called again', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 1);
    proxy.next('TransactWriteItems', loseAnswer, ATTEMPTS);
    await expect(stores.snapshots.save(key, save)).rejects.toThrow();

    const again = await stores.snapshots.save(key, save);

    expect(again).toBe('saved');
    expect(await numbersOf(key)).toEqual([1]);
  });

  test('is recognised another day, when its token is forgotten', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 1);
    proxy.next('TransactWriteItems', loseAnswer, ATTEMPTS);
    await expect(stores.snapshots.save(key, save)).rejects.toThrow();
    const tomorrow = storesOn(client, engine.tables, clockAt(Date.now() * MILLISECOND + DAY));

    const again = await tomorrow.snapshots.save(key, save);

    expect(again).toBe('saved');
    expect(await numbersOf(key)).toEqual([1]);
  });

  test('is a conflict another day if something was saved over it', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 1);
    proxy.next('TransactWriteItems', loseAnswer, ATTEMPTS);
    await expect(stores.snapshots.save(key, save)).rejects.toThrow();
    await stores.snapshots.save(key, aSave(key, save.snapshot, 1));
    const tomorrow = storesOn(client, engine.tables, clockAt(Date.now() * MILLISECOND + DAY));

    const again = await tomorrow.snapshots.save(key, save);

    expect(again).toBe('conflict');
    expect(await versionOf(key)).toBe(2);
  });

  test('is recognised on an engine that does not tell what is stored', async () => {
    const key = freshKey();
    const save = aSave(key, undefined, 1);
    await stores.snapshots.save(key, save);
    proxy.next('TransactWriteItems', rewriting(withoutStoredItems));
    const tomorrow = storesOn(client, engine.tables, clockAt(Date.now() * MILLISECOND + DAY));

    const again = await tomorrow.snapshots.save(key, save);

    expect(again).toBe('saved');
  });

  test.each([
    ['a new group', 0],
    ['a known group', 1],
  ])('is recognised without events: %s', async (_, expectedVersion) => {
    const key = freshKey();
    if (expectedVersion === 1) await stores.snapshots.saveAll(ACME, newSaves([idOf(key)]));
    const save = { snapshot: aSmallSnapshot(idOf(key), expectedVersion + 1), expectedVersion };
    proxy.next('PutItem', loseAnswer);
    proxy.next('BatchExecuteStatement', loseAnswer);

    const results = await stores.snapshots.saveAll(ACME, [save]);

    expect(results).toEqual(['saved']);
    expect(await versionOf(key)).toBe(expectedVersion + 1);
  });

  test('is recognised: a state, a budget, an event of the feed', async () => {
    proxy.next('PutItem', loseAnswer);
    const state = await stores.states.save(aState('lost'), 0);
    proxy.next('PutItem', loseAnswer);
    const budget = await stores.budgets.save('lost', A_BUDGET, 0);
    proxy.next('PutItem', loseAnswer);
    const [event] = aSave(aKey(1, { source: 'lost', generation: 'mi8x2k' }), undefined, 1).events;
    const feed = aKey('feed', { source: 'lost', generation: 'mi8x2k' });
    const appended = event && (await stores.ledger.append(feed, { ...event, id: 'lost_mi8x2k_feed_1' }));

    expect([state, budget, appended]).toEqual(['saved', 'saved', 'saved']);
    expect(countOf('PutItem')).toBe(6);
  });
});

describe('a transaction that is refused', () => {
  test.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'for %s is tried again',
    async (code) => {
      const key = freshKey();
      proxy.next('TransactWriteItems', cancel('None', code), 3);

      const result = await stores.snapshots.save(key, aSave(key, undefined, 1));

      expect(result).toBe('saved');
      expect(countOf('TransactWriteItems')).toBe(4);
    },
  );

  test('for another transaction every time fails in the end, and says why', async () => {
    const key = freshKey();
    proxy.next('TransactWriteItems', cancel('TransactionConflict', 'None'), 100);

    const saving = stores.snapshots.save(key, aSave(key, undefined, 1));

    await expect(saving).rejects.toThrow('TransactionConflict');
    expect(countOf('TransactWriteItems')).toBe(8);
  });

  test('as invalid is not tried again', async () => {
    const key = freshKey();
    proxy.next('TransactWriteItems', cancel('ValidationError', 'TransactionConflict'), 100);

    const saving = stores.snapshots.save(key, aSave(key, undefined, 1));

    await expect(saving).rejects.toThrow('ValidationError');
    expect(countOf('TransactWriteItems')).toBe(1);
  });

  test('for its version by one of its items is a conflict, whatever the others say', async () => {
    const key = freshKey();
    await stores.snapshots.save(key, aSave(key, undefined, 1));
    proxy.next('TransactWriteItems', cancel('ConditionalCheckFailed', 'TransactionConflict'));

    const result = await stores.snapshots.save(key, aSave(key, { version: 1, sequence: 1 }, 1));

    expect(result).toBe('conflict');
  });
});

describe('saves without events', () => {
  test('are tried again where some were throttled', async () => {
    const ids = [31, 32, 33, 34];
    proxy.next('BatchExecuteStatement', throttleStatements(3));
    proxy.next('BatchExecuteStatement', throttleStatements(1));

    const results = await stores.snapshots.saveAll(ACME, newSaves(ids));

    expect(results).toEqual(['saved', 'saved', 'saved', 'saved']);
    expect((await stores.snapshots.load(ACME, ids)).size).toBe(4);
  });

  test('fail when they are throttled again and again', async () => {
    proxy.next('BatchExecuteStatement', throttleStatements(1), 100);

    const saving = stores.snapshots.saveAll(ACME, newSaves([41]));

    await expect(saving).rejects.toThrow('refused 1 of 1 inserts');
  });

  test('are tried again when a transaction has hold of the group', async () => {
    const key = freshKey();
    await stores.snapshots.saveAll(ACME, newSaves([idOf(key)]));
    proxy.next('PutItem', refuse('com.amazonaws.dynamodb.v20120810#TransactionConflictException'), 2);

    const results = await stores.snapshots.saveAll(ACME, [
      { snapshot: aSmallSnapshot(idOf(key), 2), expectedVersion: 1 },
    ]);

    expect(results).toEqual(['saved']);
    expect(countOf('PutItem')).toBe(3);
  });
});

describe('the groups known of a range', () => {
  test('come from as many pages as the index has of them', async () => {
    const source = { source: 'a-source-with-a-very-long-name', generation: 'mi8x2kmi8x2k' };
    const ids = Array.from({ length: 9_500 }, (_, at) => 1_000_000_000_000_000 + at);
    const items = ids.map((id) => ({
      k: { S: `${source.source}_${source.generation}_${id}` },
      i: { S: `${source.source}_${source.generation}` },
      c: { N: String(id) },
    }));
    await insertBatch(engine.client, { clock: hastyClock }, engine.tables.snapshots, items);

    const known = [];
    for await (const { groupId } of stores.snapshots.knownCreatedBetween(
      source,
      0,
      Number.POSITIVE_INFINITY,
    )) {
      known.push(groupId);
    }

    expect(known).toEqual(ids);
    expect(countOf('Query')).toBeGreaterThan(1);
  }, 60_000);

  test('are all told, however few come at a time', async () => {
    const source = { source: 'acme', generation: 'few' };
    await stores.snapshots.saveAll(source, newSaves([5, 1, 4, 2, 3]));
    proxy.next('Query', ({ body, forward }) => forward({ ...body, Limit: 2 }), 10);

    const known = [];
    for await (const { groupId } of stores.snapshots.knownCreatedBetween(
      source,
      0,
      Number.POSITIVE_INFINITY,
    )) {
      known.push(groupId);
    }

    expect(known).toEqual([1, 2, 3, 4, 5]);
  });
});

describe("the store's time", () => {
  test("is the Date of the table's answer", async () => {
    proxy.next(
      'GetItem',
      rewriting((answer) => ({
        ...answer,
        headers: { ...answer.headers, date: 'Fri, 20 Nov 2026 10:15:03 GMT' },
      })),
    );

    const { storeTime } = await stores.budgets.load('dated');

    expect(storeTime).toBe(Date.UTC(2026, 10, 20, 10, 15, 3) * MILLISECOND);
  });

  test.each([{}, { date: 'yesterday' }])('is the time here where the answer has none: %j', async (date) => {
    const here = 12 * SECOND;
    const { budgets } = storesOn(client, engine.tables, clockAt(here));
    proxy.next(
      'GetItem',
      rewriting((answer) => ({
        ...answer,
        headers: { 'content-type': answer.headers['content-type'] ?? '', ...date },
      })),
    );

    const { storeTime } = await budgets.load('dateless');

    expect(storeTime).toBe(here);
  });
});

describe('the name of the place', () => {
  test('is asked for once, and again if that failed', async () => {
    proxy.next('DescribeTable', refuse('com.amazonaws.dynamodb.v20120810#ResourceNotFoundException'));
    await expect(stores.states.identity()).rejects.toThrow();

    const names = [await stores.states.identity(), await stores.states.identity()];

    expect(names[0]).toBe(names[1]);
    expect(countOf('DescribeTable')).toBe(6);
  });

  test('is another one where a table was restored under the same name', async () => {
    const before = await stores.states.identity();
    proxy.next(
      'DescribeTable',
      rewriting((answer) => {
        const isLedger = answer.body.Table.TableName === engine.tables.ledger;
        return isLedger
          ? { ...answer, body: { Table: { ...answer.body.Table, TableId: 'restored' } } }
          : answer;
      }),
      3,
    );

    const after = await storesOn(client, engine.tables).states.identity();

    expect(after).not.toBe(before);
  });
});

const A_BUDGET: BudgetState = {
  theoreticalArrival: 1_763_633_703_000_000,
  reservedArrival: 1_763_633_703_000_000,
  rateShare: 1,
  rateChangedAt: 0,
  pausedUntil: 0,
};

/** Answers for all but the last so many keys, and says so. */
function leaveUnprocessed(count: number): Fault {
  return async ({ body, forward }) => {
    const [[table, asked]] = Object.entries(body.RequestItems) as [[string, Json]];
    const keep = asked.Keys.length - count;
    const rest = { [table]: { ...asked, Keys: asked.Keys.slice(keep) } };
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    if (keep === 0) return { status: 200, headers, body: { Responses: {}, UnprocessedKeys: rest } };
    const answer = await forward({
      RequestItems: { [table]: { ...asked, Keys: asked.Keys.slice(0, keep) } },
    });
    return { ...answer, body: { ...answer.body, UnprocessedKeys: rest } };
  };
}

/** Carries out all but the last so many statements. */
function throttleStatements(count: number): Fault {
  return async ({ body, forward }) => {
    const keep = body.Statements.length - count;
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    const kept =
      keep === 0
        ? { status: 200, headers, body: { Responses: [] } }
        : await forward({ ...body, Statements: body.Statements.slice(0, keep) });
    const throttled = Array.from({ length: count }, () => ({
      Error: { Code: 'ThrottlingError', Message: 'slow down' },
    }));
    return { ...kept, body: { Responses: [...kept.body.Responses, ...throttled] } };
  };
}

function cancel(...codes: string[]): Fault {
  return refuse('com.amazonaws.dynamodb.v20120810#TransactionCanceledException', {
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

function withoutStoredItems(answer: Json) {
  const reasons = answer.body.CancellationReasons.map((reason: Json) => ({ Code: reason.Code }));
  return { ...answer, body: { ...answer.body, CancellationReasons: reasons } };
}
