// How far each destination got, one small item per group: `n` the number of the last event sent, `r` why the group
// stopped there, `s` since when a webhook's next event fails, `c` since when its content is rejected, `u` until when
// another rejection goes on with that. `d` names the destination while the group is behind, for the index of such
// groups. In a table of its own, so that moving a mark does not trigger the relays again.
import * as z from 'zod';
import type { BehindAt, GroupKey } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import type { NextFailure, WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import { numberValue, type StoredItem, storedNumber } from './attribute-values.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { type Change, readItem, updateIf } from './dynamodb-conditional-put.ts';
import { formatAttribute, readStored } from './stored-format.ts';

const FORMAT = 1;

export function createDynamoDbMarks({ client, tables }: Omit<TableAccess<'marks'>, 'clock'>): WebhookMarks {
  const read = async (destination: string, key: GroupKey) => {
    const item = await readItem(client, tables.marks, markKey(destination, key));
    return item && readStored(item, { [FORMAT]: (stored) => format1.parse(stored) });
  };

  /** @returns the changed item; undefined if there was nothing to do, which all conditions here check */
  const update = (destination: string, key: GroupKey, change: Change) =>
    updateIf(client, tables.marks, markKey(destination, key), change);

  return {
    load: async (destination, key) => (await read(destination, key))?.n,
    async advance(destination, key, sequence) {
      return (await update(destination, key, moveTo(sequence))) !== undefined;
    },
    async noteBehind(destination, key, stop) {
      const noted = await update(
        destination,
        key,
        stop === undefined ? TAKE_NOTE_BACK : note(destination, stop),
      );
      return noted !== undefined;
    },
    async position(webhook, key) {
      const { n: sequence, s: failingSince, u: rejectedUntil } = (await read(webhook, key)) ?? {};
      return { sequence, failingSince, rejectedUntil };
    },
    async noteFailing(webhook, key, failure) {
      const attributes = await update(webhook, key, noteSince(webhook, failure));
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
  u: storedNumber.optional(),
});

export function markKey(destination: string, key: GroupKey): StoredItem {
  return { k: { S: `${destination}#${formatGroupKey(key)}` } };
}

/** Also removes the notes: a group that continues is not behind any more. */
function moveTo(sequence: number): Change {
  return {
    UpdateExpression: 'SET n = :n, v = :v REMOVE r, s, c, u, d',
    ConditionExpression: 'attribute_not_exists(n) OR n < :n',
    ExpressionAttributeValues: { ':n': numberValue(sequence), ':v': formatAttribute(FORMAT).v },
  };
}

/** As {@link moveTo}, from this number alone; 0 for none. */
export function moveFrom(known: number, sequence: number): Change {
  const { UpdateExpression, ExpressionAttributeValues } = moveTo(sequence);
  return {
    UpdateExpression,
    ConditionExpression: known === 0 ? 'attribute_not_exists(n) OR n = :known' : 'n = :known',
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':known': numberValue(known) },
  };
}

function note(destination: string, { sequence, reason }: BehindAt): Change {
  return {
    UpdateExpression: 'SET r = :r, d = :d, v = :v',
    ConditionExpression: 'attribute_not_exists(n) OR n < :n',
    ExpressionAttributeValues: {
      ':r': { S: `${sequence}: ${reason}` },
      ':d': { S: destination },
      ':v': formatAttribute(FORMAT).v,
      ':n': numberValue(sequence),
    },
  };
}

function noteSince(webhook: string, { at, rejection, ...stop }: NextFailure): Change {
  const { UpdateExpression, ExpressionAttributeValues, ...conditions } = note(webhook, stop);
  const contentSince = rejection?.continues === true ? 'if_not_exists(c, :s)' : ':s';
  const content = rejection === undefined ? ' REMOVE c, u' : `, c = ${contentSince}, u = :u`;
  return {
    ...conditions,
    UpdateExpression: `${UpdateExpression}, s = if_not_exists(s, :s)${content}`,
    ExpressionAttributeValues: {
      ...ExpressionAttributeValues,
      ':s': numberValue(at),
      ...(rejection && { ':u': numberValue(rejection.until) }),
    },
  };
}

const TAKE_NOTE_BACK: Change = {
  UpdateExpression: 'REMOVE r, s, c, u, d',
  ConditionExpression: 'attribute_exists(r)',
};
