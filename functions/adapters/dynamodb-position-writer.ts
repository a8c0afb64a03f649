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
import type { PositionWriter } from '../../shared/pulling/assign-positions.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem, storedNumber } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { markKey, moveFrom } from './dynamodb-marks.ts';
import { writeTogether } from './dynamodb-transaction.ts';
import { formatAttribute, readStored } from './stored-format.ts';

const FORMAT = 1;
const DIGITS = 16;
const PULL = markOf('pull');

export function createDynamoDbPositionWriter(options: TableAccess<'marks'>): PositionWriter {
  const { client, clock, tables } = options;
  const TableName = tables.marks;
  /** As of the last save of this process, which is right if no other saved since. */
  let known: Counter | undefined;

  return {
    async assign(runs) {
      const { newest, keptUntil } = known ?? readCounter(await readItem(client, TableName, COUNTER_KEY));
      known = undefined;
      // A later position is never kept for a shorter time, whatever the clocks: what has expired is a beginning.
      const expires = Math.max(keptUntil, Math.ceil((clock.now() + LEDGER_RETENTION) / SECOND));
      const named = runs.flatMap(({ key, sequences }) =>
        sequences.map((sequence) => ({ g: { S: formatGroupKey(key) }, n: numberValue(sequence) })),
      );
      const counter = { newest: newest + named.length, keptUntil: expires };
      const writes: TransactWriteItem[] = [
        { Update: { TableName, Key: COUNTER_KEY, ...moveCounter(newest, counter) } },
        ...runs.map(({ key, after, sequences }) => ({
          Update: { TableName, Key: markKey(PULL, key), ...moveFrom(after, sequences.at(-1) ?? after) },
        })),
        ...named.map((event, at) => ({
          Put: {
            TableName,
            Item: { k: { S: positionKey(newest + 1 + at) }, ...event, x: numberValue(expires), ...FORMATTED },
          },
        })),
      ];
      if ((await writeTogether(options, writes, randomUUID())) !== undefined) return 'conflict';
      known = counter;
      return 'saved';
    },
  };
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
    UpdateExpression: 'SET n = :n, e = :e, v = :v',
    ConditionExpression: from === 0 ? 'attribute_not_exists(k)' : 'n = :from',
    ExpressionAttributeValues: {
      ...{ ':n': numberValue(newest), ':e': numberValue(keptUntil), ':v': FORMATTED.v },
      ...(from > 0 && { ':from': numberValue(from) }),
    },
  };
}
