// The readers of the pull feed: an item each in the table of sources, `reader/<name>`, which its index lists. `n` counts
// the writes, `b` holds the rest as JSON.
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLES } from '../../shared/deployment/tables.ts';
import { type Reader, type Readers, readerBody } from '../../shared/pulling/reader.ts';
import { type StoredItem, storedNumber, storedText } from './attribute-values.ts';
import { backOff } from './backoff.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { queryItems } from './dynamodb-pages.ts';
import { putNextVersion } from './dynamodb-versioned-item.ts';
import { formatAttribute, readStored } from './stored-format.ts';

const FORMAT = 1;
const PREFIX = 'reader/';
const LISTED = 'readers';

export function createDynamoDbReaders(options: TableAccess<'sources'>): Readers {
  const { client, tables } = options;

  async function load(name: string) {
    const item = await readItem(client, tables.sources, keyOf(name));
    return item && parse(item);
  }

  function save(name: string, reader: Reader, expectedVersion: number) {
    const attributes = {
      ...formatAttribute(FORMAT),
      d: { S: LISTED },
      b: { S: JSON.stringify(reader) },
    };
    return putNextVersion(
      options,
      { table: tables.sources, key: PREFIX + name, attributes },
      expectedVersion,
    );
  }

  return {
    async list() {
      const readers: [string, Reader][] = [];
      const listed = queryItems(client, {
        TableName: tables.sources,
        IndexName: TABLES.sources.index.name,
        KeyConditionExpression: 'd = :listed',
        ExpressionAttributeValues: { ':listed': { S: LISTED } },
      });
      for await (const item of listed)
        readers.push([storedText.parse(item.k).slice(PREFIX.length), parse(item).reader]);
      return new Map(readers.sort(([a], [b]) => (a < b ? -1 : 1)));
    },

    load: async (name) => (await load(name))?.reader,

    add: async (name, reader) => (await save(name, reader, 0)) === 'saved',

    async change(name, to) {
      for (let tries = 1; ; tries += 1) {
        const stored = await load(name);
        if (stored === undefined) return undefined;
        const changed = to(stored.reader);
        if ((await save(name, changed, stored.version)) === 'saved') return changed;
        await backOff(options, tries);
      }
    },

    async remove(name) {
      const { Attributes } = await client.send(
        new DeleteItemCommand({ TableName: tables.sources, Key: keyOf(name), ReturnValues: 'ALL_OLD' }),
      );
      return Attributes !== undefined;
    },
  };
}

function keyOf(name: string): StoredItem {
  return { k: { S: PREFIX + name } };
}

/** @throws UnreadableItemError */
function parse(item: StoredItem) {
  return readStored(item, { [FORMAT]: (stored) => format1.parse(stored) });
}

const format1 = z
  .object({ n: storedNumber, b: storedText })
  .transform(({ n: version, b }) => ({ version, reader: readerBody.parse(JSON.parse(b)) }));
