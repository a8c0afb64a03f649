// The state of each token's budget: `n` counts the writes; `t` and `r` are when the common part and the reserved part
// are free again (gcra.ts), `f` is how far from its slot a booking may have moved `t` or `r`; `s` is the share of the
// full rate, `c` when it changed; `p` is the pause's end. A token's holders use the table's clock.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { BudgetState, Budgets } from '../../shared/ports.ts';
import { numberValue, type StoredItem, storedNumber } from './attribute-values.ts';
import { dateOf, type TableAccess } from './dynamodb-client.ts';
import { putNextVersion } from './dynamodb-versioned-item.ts';
import { formatAttribute, readStored } from './stored-format.ts';

const FORMAT = 1;

export function createDynamoDbBudgets(options: TableAccess<'sources'>): Budgets {
  const { client, clock, tables } = options;
  return {
    async load(tokenHash) {
      const Key = { k: { S: budgetKey(tokenHash) } };
      const get = new GetItemCommand({ TableName: tables.sources, Key, ConsistentRead: true });
      const answer = await client.send(get);
      const stored =
        answer.Item && readStored(answer.Item, { [FORMAT]: (attributes) => format1.parse(attributes) });
      return {
        version: stored?.version ?? 0,
        state: stored?.state,
        storeTime: dateOf(answer) ?? clock.now(),
      };
    },

    save(tokenHash, state, expectedVersion) {
      const item = { table: tables.sources, key: budgetKey(tokenHash), attributes: toAttributes(state) };
      return putNextVersion(options, item, expectedVersion);
    },
  };
}

function budgetKey(tokenHash: string): string {
  return `budget/${tokenHash}`;
}

function toAttributes(state: BudgetState): StoredItem {
  return {
    ...formatAttribute(FORMAT),
    t: numberValue(state.theoreticalArrival),
    r: numberValue(state.reservedArrival),
    s: numberValue(state.rateShare),
    c: numberValue(state.rateChangedAt),
    p: numberValue(state.pausedUntil),
    f: numberValue(state.reach),
  };
}

const format1 = z
  .object({
    n: storedNumber,
    t: storedNumber,
    r: storedNumber,
    s: storedNumber,
    c: storedNumber,
    p: storedNumber,
    /** Undefined in a state that an older release saved. */
    f: storedNumber.optional(),
  })
  .transform(({ n, t, r, s, c, p, f: reach = 0 }) => ({
    version: n,
    state: {
      theoreticalArrival: t,
      reservedArrival: r,
      rateShare: s,
      rateChangedAt: c,
      pausedUntil: p,
      reach,
    },
  }));
