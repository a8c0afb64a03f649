// The ledger's entries, read by group. Entries that can't be decoded are returned too: later events are sound.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { READ_GROUP } from '../../shared/contract/event-id.ts';
import { TABLES } from '../../shared/deployment/tables.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../../shared/ports.ts';
import { formatGroupKey, parseGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, storedNumber, storedText } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { IF_ABSENT, putIf } from './dynamodb-conditional-put.ts';
import { queryItems, scanItems } from './dynamodb-pages.ts';
import { expiryOfRead, fromLedgerItem, toLedgerItem } from './ledger-item.ts';
import { isSameBody } from './stored-body.ts';

const { partitionKey, sortKey } = TABLES.ledger;

export function createDynamoDbLedger(options: TableAccess<'ledger'>): Ledger {
  const { client, clock, tables } = options;
  return {
    async read(key, after, limit) {
      const items = queryItems(client, {
        TableName: tables.ledger,
        ConsistentRead: true,
        KeyConditionExpression: `${partitionKey.name} = :k AND ${sortKey.name} > :after`,
        ExpressionAttributeValues: { ':k': { S: formatGroupKey(key) }, ':after': numberValue(after) },
        Limit: limit,
      });
      const entries: LedgerEntry[] = [];
      // A page ends at 1 MB, whatever the limit. The first item may begin before `after`, the last one end beyond the limit.
      for await (const item of items) {
        entries.push(...fromLedgerItem(item, key).filter(({ sequence }) => sequence > after));
        if (entries.length >= limit) break;
      }
      return entries.slice(0, limit);
    },

    async append(key, event) {
      // No later event depends on a report of what is read, and the source's state knows its number.
      const expires = key.group === READ_GROUP ? expiryOfRead(clock.now()) : undefined;
      const item = toLedgerItem(key, event, expires);
      const outcome = await putIf(options, {
        table: tables.ledger,
        key: [partitionKey.name, sortKey.name],
        item,
        condition: IF_ABSENT,
      });
      // A try that timed out may have added this event.
      return outcome.written || isSameBody(outcome.stored?.b?.B, item.b?.B) ? 'saved' : 'conflict';
    },

    groups: () => scanGroups(client, tables.ledger),
  };
}

/** A scan returns group by group, each in ascending order, so only the current group has to be kept. */
async function* scanGroups(client: DynamoDBClient, table: string) {
  let group: { readonly key: GroupKey; readonly last: number } | undefined;
  for await (const item of scanItems(client, { TableName: table, ProjectionExpression: 'k, n' })) {
    const { k: text, n: last } = keys.parse(item);
    const key = parseGroupKey(text);
    if (key === undefined) continue;
    if (group !== undefined && formatGroupKey(group.key) !== text) yield group;
    group = { key, last };
  }
  if (group !== undefined) yield group;
}

const keys = z.object({ k: storedText, n: storedNumber });
