// How far each destination got, one small item per group: `n` the number of the last event sent, `r` why the group
// stopped there. In a table of its own, so that moving a mark does not trigger the relays again.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { TableNames } from '../../shared/deployment/tables.ts';
import type { GroupKey, Marks } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem, storedNumber, textValue } from './attribute-values.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { formatAttribute, readStored } from './stored-format.ts';

export interface DynamoDbMarksOptions {
  readonly client: DynamoDBClient;
  readonly tables: Pick<TableNames, 'marks'>;
}

const FORMAT = 1;

export function createDynamoDbMarks({ client, tables }: DynamoDbMarksOptions): Marks {
  async function update(key: StoredItem, change: Change): Promise<void> {
    try {
      await client.send(new UpdateItemCommand({ TableName: tables.marks, Key: key, ...change }));
    } catch (error) {
      // All conditions here check whether there is anything to do.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }

  return {
    async load(destination, key) {
      const item = await readItem(client, tables.marks, markKey(destination, key));
      return item && readStored(item, { [FORMAT]: (stored) => format1.parse(stored).n });
    },
    advance: (destination, key, sequence) => update(markKey(destination, key), moveTo(sequence)),
    noteBehind: (destination, key, reason) =>
      update(markKey(destination, key), reason === undefined ? TAKE_NOTE_BACK : note(reason)),
  };
}

const format1 = z.object({ n: storedNumber.optional() });

export function markKey(destination: string, key: GroupKey): StoredItem {
  return { k: textValue(`${destination}#${formatGroupKey(key)}`) };
}

type Change = Pick<
  UpdateItemCommand['input'],
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'
>;

/** Also removes the note: a group that continues is not behind any more. */
function moveTo(sequence: number): Change {
  return {
    UpdateExpression: 'SET n = :n, v = :v REMOVE r',
    ConditionExpression: 'attribute_not_exists(n) OR n < :n',
    ExpressionAttributeValues: { ':n': numberValue(sequence), ':v': formatAttribute(FORMAT).v },
  };
}

function note(reason: string): Change {
  return {
    UpdateExpression: 'SET r = :r, v = :v',
    ExpressionAttributeValues: { ':r': textValue(reason), ':v': formatAttribute(FORMAT).v },
  };
}

const TAKE_NOTE_BACK: Change = { UpdateExpression: 'REMOVE r', ConditionExpression: 'attribute_exists(r)' };
