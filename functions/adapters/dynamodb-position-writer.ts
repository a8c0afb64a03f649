// Positions of the pull feed, in the table of marks. `pull#counter` has the newest one (`n`) and until when it is kept
// (`e`); each position is an item, `pull#<16 digits>`, that names an event by its group (`g`) and number (`n`), and
// expires (`x`). A transaction writes the counter, the marks of the groups and the positions, so the positions are dense
// and become visible in their order.
import { randomUUID } from 'node:crypto';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { markOf } from '../../shared/deployment/destinations.ts';
import { SECOND } from '../../shared/instant.ts';
import { LEDGER_RETENTION } from '../../shared/limits.ts';
import type { PositionWriter, Run } from '../../shared/pulling/assign-positions.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem, storedNumber } from './attribute-values.ts';
import { MAX_FRUITLESS_TRIES } from './backoff.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { markKey, moveFrom } from './dynamodb-marks.ts';
import { writeTogether } from './dynamodb-transaction.ts';
import { formatAttribute, readStored } from './stored-format.ts';

const FORMAT = 1;
const DIGITS = 16;
const PULL = markOf('pull');
/**
 * After another relay was faster: twice a transaction's time, not longer each time. There are only as many relays as the
 * stream has shards, and with growing pauses a few of them starve.
 */
const LONGEST_PAUSE_MS = 40;

export function createDynamoDbPositionWriter(options: TableAccess<'marks'>): PositionWriter {
  const { client, clock, tables, random = Math.random } = options;
  const TableName = tables.marks;
  /** As of the last save of this process, which is right if no other saved since. */
  let known: Counter | undefined;

  return {
    async assign(runs) {
      for (let tries = 1; ; tries += 1) {
        const from = known ?? readCounter(await readItem(client, TableName, COUNTER_KEY));
        known = undefined;
        const counter = {
          newest: from.newest + runs.reduce((sum, { sequences }) => sum + sequences.length, 0),
          // A later position is never kept for a shorter time, whatever the clocks: what has expired is a beginning.
          keptUntil: Math.max(from.keptUntil, Math.ceil((clock.now() + LEDGER_RETENTION) / SECOND)),
        };
        const writes = writesOf(TableName, from, counter, runs);
        const failed = await writeTogether(options, writes, randomUUID());
        if (failed === undefined) {
          known = counter;
          return 'saved';
        }
        if (failed.size > 1 || !failed.has(0) || tries === MAX_FRUITLESS_TRIES) return 'conflict';
        // Another relay was faster at the counter alone: these events still lack positions.
        const stored = failed.get(0);
        known = stored && readCounter(stored);
        await clock.sleep(random() * LONGEST_PAUSE_MS);
      }
    },
  };
}

function writesOf(
  TableName: string,
  from: Counter,
  counter: Counter,
  runs: readonly Run[],
): TransactWriteItem[] {
  const events = runs.flatMap(({ key, sequences }) =>
    sequences.map((sequence) => ({ g: { S: formatGroupKey(key) }, n: numberValue(sequence) })),
  );
  return [
    { Update: { TableName, Key: COUNTER_KEY, ...moveCounter(from.newest, counter) } },
    ...runs.map(({ key, after, sequences }) => ({
      Update: { TableName, Key: markKey(PULL, key), ...moveFrom(after, sequences.at(-1) ?? after) },
    })),
    ...events.map((event, at) => {
      const k = { S: positionKey(from.newest + 1 + at) };
      return { Put: { TableName, Item: { k, ...event, x: numberValue(counter.keptUntil), ...FORMATTED } } };
    }),
  ];
}

const FORMATTED = formatAttribute(FORMAT);

export const COUNTER_KEY: StoredItem = { k: { S: `${PULL}#counter` } };

export function positionKey(position: number): string {
  return `${PULL}#${String(position).padStart(DIGITS, '0')}`;
}

export interface Counter {
  /** 0 before the first. */
  readonly newest: number;
  /** Until when the newest position is kept, in seconds. */
  readonly keptUntil: number;
}

/** @throws UnreadableItemError */
export function readCounter(item: StoredItem | undefined): Counter {
  if (item === undefined) return { newest: 0, keptUntil: 0 };
  return readStored(item, { [FORMAT]: (stored) => counter1.parse(stored) });
}

const counter1 = z
  .object({ n: storedNumber, e: storedNumber })
  .transform(({ n: newest, e: keptUntil }) => ({ newest, keptUntil }));

function moveCounter(from: number, { newest, keptUntil }: Counter) {
  return {
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    UpdateExpression: 'SET n = :n, e = :e, v = :v',
    ConditionExpression: from === 0 ? 'attribute_not_exists(k)' : 'n = :from',
    ExpressionAttributeValues: {
      ...{ ':n': numberValue(newest), ':e': numberValue(keptUntil), ':v': FORMATTED.v },
      ...(from > 0 && { ':from': numberValue(from) }),
    },
  };
}
