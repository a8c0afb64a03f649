// The state of each token's budget: `n` counts the writes, `t` is the theoretical arrival, `r` the reserved one, `s`
// the share of the full rate and `c` when it changed, `p` the pause's end, `f` the reach. A token's holders use
// the table's clock.
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { TableNames } from '../../shared/deployment/tables.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { BudgetState, Budgets } from '../../shared/ports.ts';
import { numberValue, type StoredItem, storedNumber, textValue } from './attribute-values.ts';
import type { Patience } from './backoff.ts';
import { putNextVersion } from './dynamodb-versioned-item.ts';
import { formatAttribute, readStored } from './stored-format.ts';

export interface DynamoDbBudgetsOptions extends Patience {
  readonly client: DynamoDBClient;
  readonly tables: Pick<TableNames, 'sources'>;
}

const FORMAT = 1;

export function createDynamoDbBudgets({ client, tables, ...patience }: DynamoDbBudgetsOptions): Budgets {
  return {
    async load(tokenHash) {
      const { item, date } = await readDated(client, tables.sources, { k: textValue(budgetKey(tokenHash)) });
      const stored = item && readStored(item, { [FORMAT]: (attributes) => format1.parse(attributes) });
      return {
        version: stored?.version ?? 0,
        state: stored?.state,
        storeTime: date ?? patience.clock.now(),
      };
    },

    save(tokenHash, state, expectedVersion) {
      const item = { table: tables.sources, key: budgetKey(tokenHash), attributes: toAttributes(state) };
      return putNextVersion(client, patience, item, expectedVersion);
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

/** Strongly consistent; `date` is the answer's Date. The SDK does not expose headers, so a middleware reads it. */
async function readDated(
  client: DynamoDBClient,
  table: string,
  key: StoredItem,
): Promise<{ item: StoredItem | undefined; date: Instant | undefined }> {
  const command = new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true });
  let date: Instant | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = dateOf(result.response);
      return result;
    },
    { step: 'deserialize', name: 'takeDate' },
  );
  const answer = await client.send(command);
  return { item: answer.Item, date };
}

function dateOf(response: unknown): Instant | undefined {
  const text = withDate.safeParse(response).data?.headers.date;
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time * MILLISECOND;
}

const withDate = z.object({ headers: z.object({ date: z.string() }) });
