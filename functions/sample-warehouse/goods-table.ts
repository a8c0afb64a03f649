// The warehouse's goods in a DynamoDB table (shared/deployment/sample-warehouse.ts describes its items). The workflow
// writes a token on the condition that there is no final status yet, and each write of a status returns the tokens
// stored at that moment. So the later of the two writes always sees the earlier one.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { DeliveredParcel } from '../../shared/deployment/sample-warehouse.ts';
import { numberValue, type StoredItem, textValue } from '../adapters/attribute-values.ts';
import { readItem } from '../adapters/dynamodb-conditional-put.ts';
import { queryItems } from '../adapters/dynamodb-pages.ts';

export interface LineItemKey {
  readonly returnGroup: string;
  readonly part: string;
}

export interface LineItem extends LineItemKey {
  readonly status: string;
  /** Position of the event that published the status. */
  readonly position: string;
  /** In seconds since 1970. */
  readonly expires: number;
}

export interface Goods {
  /**
   * Notes a line item's status, unless the status of a newer event is noted.
   *
   * @returns the task tokens of the waiting workflows; none if the status is older than the noted one
   */
  note(lineItem: LineItem): Promise<readonly string[]>;
  /** Removes tokens whose workflows need not be woken any more. */
  forgetWaiting(key: LineItemKey, tokens: readonly string[]): Promise<void>;
  /** @returns whether the parcel belongs, or already belonged, to this delivery; false if another one was first */
  claimParcel(parcel: DeliveredParcel, delivery: string): Promise<boolean>;
  /** @returns the position of the event with the newest status; undefined if there is none */
  positionOf(key: LineItemKey): Promise<string | undefined>;
  /** @returns all line items of a group that were published or are expected */
  lineItemsOf(returnGroup: string): Promise<readonly string[]>;
}

export interface GoodsTableOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

export function createGoodsTable({ client, tableName }: GoodsTableOptions): Goods {
  /** @returns the item after the update; undefined if the condition does not hold */
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
      const items = queryItems(client, {
        TableName: tableName,
        KeyConditionExpression: 'return_group = :group',
        ExpressionAttributeValues: { ':group': textValue(returnGroup) },
        ConsistentRead: true,
      });
      for await (const item of items) for (const part of lineItemsIn(item)) parts.add(part);
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

/** A parcel may bring line items for which no event has come yet. */
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
    // Also on a repeat of the same event: it wakes workflows that were not woken the first time.
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
