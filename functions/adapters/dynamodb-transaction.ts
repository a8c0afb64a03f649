// Writes several items or none. A rejected transaction names a reason for each item, and the reasons need different
// handling: a failed condition is an answer, a conflicting transaction or a throttled table is worth a retry, anything
// else is a bug of the feed.
import {
  type CancellationReason,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { StoredItem } from './attribute-values.ts';
import { backOff, isPassing, MAX_FRUITLESS_TRIES } from './backoff.ts';
import type { Connection } from './dynamodb-client.ts';

/** The indexes of the items whose condition failed, with the stored item if DynamoDB returned it. */
export type FailedConditions = ReadonlyMap<number, StoredItem | undefined>;

/**
 * @param items the first one decides whether another process was faster
 * @param token at most 36 characters; for ten minutes, the same token with the same items is one transaction, however
 *   often it is sent
 * @returns undefined once everything is written, else the failed conditions; then nothing is written
 * @throws for any other outcome: everything may be written then, or nothing
 */
export async function writeTogether(
  connection: Connection,
  items: TransactWriteItem[],
  token: string,
): Promise<FailedConditions | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      await connection.client.send(
        new TransactWriteItemsCommand({ TransactItems: items, ClientRequestToken: token }),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = failedConditions(reasons);
      const codes = codesOf(reasons);
      // If another transaction still holds the first item, a failed condition of a later one does not show what it
      // wrote.
      if (failed.size > 0 && (failed.has(0) || !codes.some(isPassing))) return failed;
      if (!isRetried(codes) || tries === MAX_FRUITLESS_TRIES) throw explain(error, codes, tries);
      await backOff(connection, tries);
    }
  }
}

const CONDITION_FAILED = 'ConditionalCheckFailed';

function failedConditions(reasons: readonly CancellationReason[]): FailedConditions {
  const failed = reasons.flatMap(({ Code, Item }, at) =>
    Code === CONDITION_FAILED ? [[at, Item] as const] : [],
  );
  return new Map(failed);
}

function codesOf(reasons: readonly CancellationReason[]): string[] {
  const codes = reasons.map((reason) => reason.Code ?? 'None');
  return [...new Set(codes.filter((code) => code !== 'None'))];
}

/** Whether a retry may succeed: something passing stands in the way, and nothing else but a condition. */
function isRetried(codes: readonly string[]): boolean {
  return codes.some(isPassing) && codes.every((code) => isPassing(code) || code === CONDITION_FAILED);
}

function explain(cause: Error, codes: readonly string[], tries: number): Error {
  const reason = codes.join(', ') || 'no reason given';
  return new Error(`DynamoDB rejected a transaction at try ${tries}: ${reason}.`, { cause });
}
