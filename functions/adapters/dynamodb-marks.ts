// How far each destination got, one small item per group: `n` the number of the last event sent, `r` why the group
// stopped there, `s` since when a webhook's next event fails, `c` since when its content is rejected. `d` names the
// destination while the group is behind, for the index of such groups. In a table of its own, so that moving a mark does
// not trigger the relays again.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { TableNames } from '../../shared/deployment/tables.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import type { NextFailure, WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import { numberValue, type StoredItem, storedNumber, textValue } from './attribute-values.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { formatAttribute, readStored } from './stored-format.ts';

export interface DynamoDbMarksOptions {
  readonly client: DynamoDBClient;
  readonly tables: Pick<TableNames, 'marks'>;
}

const FORMAT = 1;

export function createDynamoDbMarks({ client, tables }: DynamoDbMarksOptions): WebhookMarks {
  const read = async (destination: string, key: GroupKey) => {
    const item = await readItem(client, tables.marks, markKey(destination, key));
    return item && readStored(item, { [FORMAT]: (stored) => format1.parse(stored) });
  };

  /** @returns the changed item; undefined if there was nothing to do, which all conditions here check */
  async function update(key: StoredItem, change: Change): Promise<StoredItem | undefined> {
    const update = { TableName: tables.marks, Key: key, ...change, ReturnValues: 'ALL_NEW' } as const;
    try {
      return (await client.send(new UpdateItemCommand(update))).Attributes;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }

  return {
    load: async (destination, key) => (await read(destination, key))?.n,
    async advance(destination, key, sequence) {
      return (await update(markKey(destination, key), moveTo(sequence))) !== undefined;
    },
    async noteBehind(destination, key, reason) {
      await update(
        markKey(destination, key),
        reason === undefined ? TAKE_NOTE_BACK : note(destination, reason),
      );
    },
    async position(webhook, key) {
      const { n: sequence, s: failingSince } = (await read(webhook, key)) ?? {};
      return { sequence, failingSince };
    },
    async noteFailing(webhook, key, failure) {
      const attributes = await update(markKey(webhook, key), noteSince(webhook, failure));
      if (attributes === undefined) return undefined;
      const { s: since = failure.at, c: contentSince } = format1.parse(attributes);
      return { since, contentSince };
    },
  };
}

const format1 = z.object({
  n: storedNumber.optional(),
  s: storedNumber.optional(),
  c: storedNumber.optional(),
});

export function markKey(destination: string, key: GroupKey): StoredItem {
  return { k: textValue(`${destination}#${formatGroupKey(key)}`) };
}

type Change = Pick<
  UpdateItemCommand['input'],
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'
>;

/** Also removes the notes: a group that continues is not behind any more. */
function moveTo(sequence: number): Change {
  return {
    UpdateExpression: 'SET n = :n, v = :v REMOVE r, s, c, d',
    ConditionExpression: 'attribute_not_exists(n) OR n < :n',
    ExpressionAttributeValues: { ':n': numberValue(sequence), ':v': formatAttribute(FORMAT).v },
  };
}

function note(destination: string, reason: string): Change {
  return {
    UpdateExpression: 'SET r = :r, d = :d, v = :v',
    ExpressionAttributeValues: {
      ':r': textValue(reason),
      ':d': textValue(destination),
      ':v': formatAttribute(FORMAT).v,
    },
  };
}

function noteSince(webhook: string, { sequence, reason, at, isContent = false }: NextFailure): Change {
  const content = isContent ? ', c = if_not_exists(c, :s)' : ' REMOVE c';
  return {
    UpdateExpression: `SET r = :r, d = :d, v = :v, s = if_not_exists(s, :s)${content}`,
    ConditionExpression: 'attribute_not_exists(n) OR n < :n',
    ExpressionAttributeValues: {
      ...note(webhook, `${sequence}: ${reason}`).ExpressionAttributeValues,
      ':s': numberValue(at),
      ':n': numberValue(sequence),
    },
  };
}

const TAKE_NOTE_BACK: Change = {
  UpdateExpression: 'REMOVE r, s, c, d',
  ConditionExpression: 'attribute_exists(r)',
};
