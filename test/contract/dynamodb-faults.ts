// Faults of DynamoDB that the engine does not produce on its own, injected between client and engine.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { TableNames } from '../../shared/deployment/tables.ts';
import {
  type Answer,
  type Fault,
  type FaultyProxy,
  type Json,
  refuse,
  startFaultyProxy,
} from './faulty-proxy.ts';
import { aSmallSnapshot } from './sample-saves.ts';
import { connect, openTables, type Stores, storesOn, type TestTables } from './stores.ts';

export interface BadWire {
  /** A client without the proxy. */
  engine: TestTables;
  tables: TableNames;
  /** The proxy between client and engine, a new one for each test. */
  proxy: FaultyProxy;
  client: DynamoDBClient;
  stores: Omit<Stores, 'close'>;
  /** The number of requests for an operation. */
  countOf(operation: string): number;
}

/** Stores behind a faulty proxy, for the tests of a file. Read its properties only inside tests. */
export function badWire(): BadWire {
  const wire = {
    countOf: (operation: string) => wire.proxy.operations.filter((asked) => asked === operation).length,
  } as BadWire;
  beforeAll(async () => {
    wire.engine = await openTables();
    wire.tables = wire.engine.tables;
  });
  afterAll(() => wire.engine.close());
  beforeEach(async () => {
    wire.proxy = await startFaultyProxy(wire.engine.endpoint);
    wire.client = connect(wire.proxy.endpoint);
    wire.stores = storesOn(wire.client, wire.tables);
  });
  afterEach(async () => {
    wire.client.destroy();
    await wire.proxy.close();
  });
  return wire;
}

export function newSaves(ids: readonly number[]) {
  return ids.map((id) => ({ snapshot: aSmallSnapshot(id), expectedVersion: 0 }));
}

/** Returns the last `count` keys as unprocessed. */
export function leaveUnprocessed(count: number): Fault {
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

/** Throttles the last `count` statements, and executes the others. */
export function throttleStatements(count: number): Fault {
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

export function cancel(...codes: string[]): Fault {
  return refuse('com.amazonaws.dynamodb.v20120810#TransactionCanceledException', {
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

/** The answer of an engine that does not return stored items. */
export function withoutStoredItems(answer: Answer): Answer {
  const reasons = answer.body.CancellationReasons.map((reason: Json) => ({ Code: reason.Code }));
  return { ...answer, body: { ...answer.body, CancellationReasons: reasons } };
}
