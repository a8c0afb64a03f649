// The warehouse's goods in a DynamoDB table (shared/deployment/sample-warehouse.ts describes its items). The workflow
// writes a token on the condition that there is no final status yet, and each write of a status returns the tokens
// stored at that moment. So the later of the two writes always sees the earlier one.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { DeliveredParcel } from '../../shared/deployment/sample-warehouse.ts';
import { numberValue, type StoredItem, storedText } from '../adapters/attribute-values.ts';
import { type Change, readItem, updateIf } from '../adapters/dynamodb-conditional-put.ts';
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
  /** Undefined where the event has none: what is noted stays. */
  readonly goods?: { readonly sku: string | null; readonly quantity: number | null };
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
  /**
   * Books a parcel for its first delivery. The parcel is the source's, not the return's: a shipment may move to another
   * return.
   *
   * @returns whether the parcel belongs, or already belonged, to this delivery; false if another one was first
   */
  claimParcel(parcel: DeliveredParcel, delivery: Delivery): Promise<boolean>;
  /** @returns the position of the event with the newest status; undefined if there is none */
  positionOf(key: LineItemKey): Promise<string | undefined>;
  /** @returns all line items of a group that were published or are expected */
  lineItemsOf(returnGroup: string): Promise<readonly string[]>;
}

/** The event of a delivery. */
export interface Delivery {
  readonly id: string;
  readonly source: string;
}

export interface GoodsTableOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}

export function createGoodsTable({ client, tableName }: GoodsTableOptions): Goods {
  const update = (key: LineItemKey, change: Change) => updateIf(client, tableName, keyOf(key), change);

  return {
    async note(lineItem) {
      const item = await update(lineItem, noteOf(lineItem));
      return (item && stored.parse(item).waiting) ?? [];
    },
    forgetWaiting: async (key, tokens) => void (await update(key, withoutWaiting(tokens))),
    async claimParcel(parcel, { id, source }) {
      const claim = await update({ returnGroup: source, part: parcel.parcel }, claimOf(parcel, id));
      if (claim === undefined) return false;
      const { return_group: returnGroup, line_items } = parcel;
      if (line_items.length > 0) await update({ returnGroup, part: parcel.parcel }, contentsOf(parcel));
      return true;
    },
    async positionOf(key) {
      const item = await readItem(client, tableName, keyOf(key));
      return item && stored.parse(item).position;
    },
    async lineItemsOf(returnGroup) {
      const parts = new Set<string>();
      const items = queryItems(client, {
        TableName: tableName,
        KeyConditionExpression: 'return_group = :group',
        ExpressionAttributeValues: { ':group': { S: returnGroup } },
        ConsistentRead: true,
      });
      for await (const item of items) for (const part of lineItemsIn(item)) parts.add(part);
      return [...parts];
    },
  };
}

function keyOf({ returnGroup, part }: LineItemKey): StoredItem {
  return { return_group: { S: returnGroup }, part: { S: part } };
}

const storedTexts = z.object({ SS: z.array(z.string()) }).transform((value) => value.SS);

const stored = z.object({
  part: storedText,
  position: storedText.optional(),
  waiting: storedTexts.optional(),
  line_items: storedTexts.optional(),
});

/** A parcel may bring line items for which no event has come yet. */
function lineItemsIn(item: StoredItem): readonly string[] {
  const { part, line_items = [] } = stored.parse(item);
  return part.startsWith('line_item/') ? [part] : line_items;
}

function noteOf({ status, position, expires, goods: { sku, quantity } = NOTHING }: LineItem): Change {
  const fields = [
    ...['#status = :status', '#position = :position', 'expires = :expires'],
    ...(sku === null ? [] : ['sku = :sku']),
    ...(quantity === null ? [] : ['quantity = :quantity']),
  ];
  return {
    UpdateExpression: `SET ${fields.join(', ')}`,
    // Also on a repeat of the same event: it wakes workflows that were not woken the first time.
    ConditionExpression: 'attribute_not_exists(#position) OR #position <= :position',
    ExpressionAttributeNames: { '#status': 'status', '#position': 'position' },
    ExpressionAttributeValues: {
      ':status': { S: status },
      ':position': { S: position },
      ':expires': numberValue(expires),
      ...(sku !== null && { ':sku': { S: sku } }),
      ...(quantity !== null && { ':quantity': numberValue(quantity) }),
    },
  };
}

const NOTHING = { sku: null, quantity: null };

function withoutWaiting(tokens: readonly string[]): Change {
  return {
    UpdateExpression: 'DELETE waiting :tokens',
    ExpressionAttributeValues: { ':tokens': { SS: [...tokens] } },
  };
}

function claimOf({ expires }: DeliveredParcel, delivery: string): Change {
  return {
    UpdateExpression: 'SET delivery = :delivery, expires = :expires',
    ConditionExpression: 'attribute_not_exists(delivery) OR delivery = :delivery',
    ExpressionAttributeValues: { ':delivery': { S: delivery }, ':expires': { N: expires } },
  };
}

function contentsOf({ line_items, expires }: DeliveredParcel): Change {
  return {
    UpdateExpression: 'SET line_items = :items, expires = :expires',
    ExpressionAttributeValues: { ':items': { SS: [...line_items] }, ':expires': { N: expires } },
  };
}
