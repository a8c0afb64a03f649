// The last minute that was dispatched, in the table of the sources' states (`dispatch/minute`), with what the next one has
// to know of the sources. A minute is taken by writing it, once.
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { knownSource } from '../../shared/dispatching/known-source.ts';
import { numberValue, type StoredItem, storedBytes, storedNumber } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { putIf, readItem } from './dynamodb-conditional-put.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readReplaceable } from './stored-format.ts';

const count = z.int().nonnegative();

const dispatch = z.object({
  /** This minute and the one that was dispatched before, with their shards. */
  minutes: z.array(z.object({ minute: count, shards: count })),
  known: z.record(z.string(), knownSource),
});

export type Dispatch = z.output<typeof dispatch>;

export interface Dispatches {
  /** The last one; undefined before the first, and for an item that can't be read. Strongly consistent. */
  load(): Promise<Dispatch | undefined>;
  /** @returns whether this call took the minute: none did before, nor a later one */
  take(minute: number, dispatch: Dispatch): Promise<boolean>;
}

const FORMAT = 1;
const KEY = { k: { S: 'dispatch/minute' } };

export function createDynamoDbDispatches(options: TableAccess<'sources'>): Dispatches {
  const { sources: table } = options.tables;
  return {
    async load() {
      const item = await readItem(options.client, table, KEY);
      return item && readReplaceable(item, { [FORMAT]: readFormat1 });
    },

    async take(minute, taken) {
      const writer = randomBytes(9).toString('base64url');
      const outcome = await putIf(options, {
        ...{ table, key: ['k'] },
        item: {
          ...{ ...KEY, ...formatAttribute(FORMAT), n: numberValue(minute), w: { S: writer } },
          b: { B: encodeBody(taken) },
        },
        condition: {
          ConditionExpression: 'attribute_not_exists(k) OR n < :n',
          ExpressionAttributeValues: { ':n': numberValue(minute) },
        },
      });
      // The SDK may have sent the write twice.
      return outcome.written || outcome.stored?.w?.S === writer;
    },
  };
}

const format1 = z.object({ n: storedNumber, b: storedBytes });

function readFormat1(item: StoredItem): Dispatch {
  return dispatch.parse(decodeBody(format1.parse(item).b));
}
