// The lease of operators' searches of each source, one item beside its state: `search/<source>`. `n` counts the writes,
// `e` is the lease's end (0: none), `t` the times of the requests of the last minute.
import * as z from 'zod';
import type { Searches } from '../../shared/ports.ts';
import { numberValue, storedNumber } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { putNextVersion } from './dynamodb-versioned-item.ts';
import { formatAttribute, readStored } from './stored-format.ts';

const FORMAT = 1;

export function createDynamoDbSearches(options: TableAccess<'sources'>): Searches {
  const { client, tables } = options;
  const keyOf = (source: string) => `search/${source}`;
  return {
    async load(source) {
      const item = await readItem(client, tables.sources, { k: { S: keyOf(source) } });
      if (item === undefined) return { version: 0, expiresAt: 0, sentAt: [] };
      return readStored(item, { [FORMAT]: (stored) => format1.parse(stored) });
    },
    save(source, { expiresAt, sentAt }, expectedVersion) {
      const attributes = {
        ...formatAttribute(FORMAT),
        e: numberValue(expiresAt),
        t: { L: sentAt.map(numberValue) },
      };
      return putNextVersion(
        options,
        { table: tables.sources, key: keyOf(source), attributes },
        expectedVersion,
      );
    },
  };
}

const format1 = z
  .object({ n: storedNumber, e: storedNumber, t: z.object({ L: z.array(storedNumber) }) })
  .transform(({ n, e, t }) => ({ version: n, expiresAt: e, sentAt: t.L }));
