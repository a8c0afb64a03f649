// Reports what a client writes into a table. DynamoDB's stream does this too, but it must be polled, and the embedded
// engine searches all records of its streams at each write. So the process that writes reports its own writes.
import type {
  DynamoDBClient,
  PutItemCommandInput,
  ServiceInputTypes,
  TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { StoredItem } from '../../functions/adapters/attribute-values.ts';

/** The inputs that put items. Batches do not count: the feed adds no events in batches. */
type Writing = Partial<PutItemCommandInput & TransactWriteItemsCommandInput>;

/**
 * Calls the listener with the items that a request of this client has put into the table, after the answer. A request
 * that failed counts too: it may have taken effect.
 */
export function onPut(
  client: DynamoDBClient,
  tableName: string,
  listener: (items: readonly StoredItem[]) => void,
): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const items = itemsFor(tableName, args.input);
      if (items.length === 0) return next(args);
      try {
        return await next(args);
      } finally {
        listener(items);
      }
    },
    { step: 'initialize', name: `onPut ${tableName}` },
  );
}

function itemsFor(tableName: string, input: ServiceInputTypes): StoredItem[] {
  const { TableName, Item, TransactItems = [] }: Writing = input as Writing;
  const puts = [
    ...(TableName === tableName ? [Item] : []),
    ...TransactItems.map(({ Put }) => (Put?.TableName === tableName ? Put.Item : undefined)),
  ];
  return puts.filter((item) => item !== undefined);
}
