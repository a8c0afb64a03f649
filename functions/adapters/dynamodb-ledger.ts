// The ledger's entries, read by group. Entries that can't be decoded are returned too: later events are sound.
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { READ_GROUP } from '../../shared/contract/event-id.ts';
import { TABLES, type TableNames } from '../../shared/deployment/tables.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../../shared/ports.ts';
import { formatGroupKey, parseGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem, storedNumber, storedText, textValue } from './attribute-values.ts';
import type { Patience } from './backoff.ts';
import { IF_ABSENT, putIf } from './dynamodb-conditional-put.ts';
import { scanItems } from './dynamodb-pages.ts';
import { expiryOfRead, fromLedgerItem, toLedgerItem } from './ledger-item.ts';
import { isSameBody } from './stored-body.ts';

export interface DynamoDbLedgerOptions extends Patience {
  readonly client: DynamoDBClient;
  readonly tables: Pick<TableNames, 'ledger'>;
}

const { partitionKey, sortKey } = TABLES.ledger;

export function createDynamoDbLedger({ client, tables, ...patience }: DynamoDbLedgerOptions): Ledger {
  const { clock } = patience;
  return {
    async read(key, after, limit) {
      const query = {
        TableName: tables.ledger,
        ConsistentRead: true,
        KeyConditionExpression: `${partitionKey.name} = :k AND ${sortKey.name} > :after`,
        ExpressionAttributeValues: { ':k': textValue(formatGroupKey(key)), ':after': numberValue(after) },
      };
      const entries: LedgerEntry[] = [];
      let start: StoredItem | undefined;
      // A page ends at 1 MB, whatever the limit.
      do {
        const page = await client.send(
          new QueryCommand({ ...query, Limit: limit - entries.length, ExclusiveStartKey: start }),
        );
        entries.push(...(page.Items ?? []).map((item) => fromLedgerItem(item, key)));
        start = page.LastEvaluatedKey;
      } while (start !== undefined && entries.length < limit);
      return entries;
    },

    async append(key, event) {
      // No later event depends on a report of what is read, and the source's state knows its number.
      const expires = key.group === READ_GROUP ? expiryOfRead(clock.now()) : undefined;
      const item = toLedgerItem(key, event, expires);
      const names = [partitionKey.name, sortKey.name];
      const outcome = await putIf(client, patience, {
        table: tables.ledger,
        key: names,
        item,
        condition: IF_ABSENT,
      });
      return outcome.written || isSameEvent(outcome.stored, item) ? 'saved' : 'conflict';
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

/** Whether the stored event is this one: a try that timed out may have added it. */
function isSameEvent(stored: StoredItem | undefined, item: StoredItem): boolean {
  return stored?.b?.B !== undefined && item.b?.B !== undefined && isSameBody(stored.b.B, item.b.B);
}
