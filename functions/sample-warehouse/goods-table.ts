// What is known of goods, in a DynamoDB table (shared/deployment/sample-warehouse.ts says what is in it). The workflow writes a
// token under the condition that nothing is to be acted on yet, and a status comes back with the tokens that were
// there when it was written: whichever of the two comes first, the other one finds it.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  paginateQuery,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { DeliveredParcel } from '../../shared/deployment/sample-warehouse.ts';
import { numberValue, type StoredItem, textValue } from '../adapters/attribute-values.ts';
import { readItem } from '../adapters/dynamodb-conditional-put.ts';

export interface LineItemKey {
  readonly returnGroup: string;
  readonly part: string;
}

export interface LineItem extends LineItemKey {
  readonly status: string;
  /** Of the event that told it. */
  readonly position: string;
  /** In seconds since 1970. */
  readonly expires: number;
}

export interface Goods {
  /**
   * Notes a line item's status, unless one of a newer event is noted.
   *
   * @returns the task tokens of who waits for it; none if the status is older than the one noted
   */
  note(lineItem: LineItem): Promise<readonly string[]>;
  /** Takes tokens away that nobody has to be woken by any more. */
  forgetWaiting(key: LineItemKey, tokens: readonly string[]): Promise<void>;
  /** @returns whether the parcel is, or already was, this delivery's; false if another one was first */
  claimParcel(parcel: DeliveredParcel, delivery: string): Promise<boolean>;
  /** @returns of the event that told the newest status; undefined if there was none */
  positionOf(key: LineItemKey): Promise<string | undefined>;
  /** @returns all of a group that were told of or are expected */
  lineItemsOf(returnGroup: string): Promise<readonly string[]>;
}

export interface GoodsTableOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

export function createGoodsTable({ client, tableName }: GoodsTableOptions): Goods {
  /** @returns the item as it is now, undefined if the condition does not hold */
  async function update(key: LineItemKey, change: Change): Promise<StoredItem | undefined> {
    const Key = keyOf(key);
    try {
      const command = new UpdateItemCommand({
        ...{ TableName: tableName, Key, ReturnValues: 'ALL_NEW' },
        ...change,
      });
      return (await client.send(command)).Attributes ?? {};
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return undefined;
    }
  }

  return {
    async note(lineItem) {
      const item = await update(lineItem, noteOf(lineItem));
      return item === undefined ? [] : (storedWaiting.parse(item).waiting?.SS ?? []);
    },
    forgetWaiting: async (key, tokens) => void (await update(key, withoutWaiting(tokens))),
    claimParcel: async (parcel, delivery) =>
      (await update({ returnGroup: parcel.return_group, part: parcel.parcel }, claimOf(parcel, delivery))) !==
      undefined,
    async positionOf(key) {
      const item = await readItem(client, tableName, keyOf(key));
      return item && storedPosition.parse(item).position?.S;
    },
    async lineItemsOf(returnGroup) {
      const parts = new Set<string>();
      const pages = paginateQuery(
        { client },
        {
          TableName: tableName,
          KeyConditionExpression: 'return_group = :group',
          ExpressionAttributeValues: { ':group': textValue(returnGroup) },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages)
        for (const item of Items) for (const part of lineItemsIn(item)) parts.add(part);
      return [...parts];
    },
  };
}

function keyOf({ returnGroup, part }: LineItemKey): StoredItem {
  return { return_group: textValue(returnGroup), part: textValue(part) };
}

const storedPosition = z.object({ position: z.object({ S: z.string() }).optional() });

const storedWaiting = z.object({ waiting: z.object({ SS: z.array(z.string()) }).optional() });

const storedPart = z.object({
  part: z.object({ S: z.string() }),
  line_items: z.object({ SS: z.array(z.string()) }).optional(),
});

/** A parcel may bring what nothing was told of yet. */
function lineItemsIn(item: StoredItem): readonly string[] {
  const { part, line_items } = storedPart.parse(item);
  return part.S.startsWith('line_item/') ? [part.S] : (line_items?.SS ?? []);
}

type Change = Pick<
  UpdateItemCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

function noteOf({ status, position, expires }: LineItem): Change {
  return {
    UpdateExpression: 'SET #status = :status, #position = :position, expires = :expires',
    // The same one again: who was not woken then is to be woken now.
    ConditionExpression: 'attribute_not_exists(#position) OR #position <= :position',
    ExpressionAttributeNames: { '#status': 'status', '#position': 'position' },
    ExpressionAttributeValues: {
      ':status': textValue(status),
      ':position': textValue(position),
      ':expires': numberValue(expires),
    },
  };
}

function withoutWaiting(tokens: readonly string[]): Change {
  return {
    UpdateExpression: 'DELETE waiting :tokens',
    ExpressionAttributeValues: { ':tokens': { SS: [...tokens] } },
  };
}

function claimOf({ line_items, expires }: DeliveredParcel, delivery: string): Change {
  const brings = line_items.length > 0;
  return {
    UpdateExpression: `SET delivery = :delivery, expires = :expires${brings ? ', line_items = :items' : ''}`,
    ConditionExpression: 'attribute_not_exists(delivery) OR delivery = :delivery',
    ExpressionAttributeValues: {
      ':delivery': textValue(delivery),
      ':expires': { N: expires },
      ...(brings && { ':items': { SS: [...line_items] } }),
    },
  };
}
