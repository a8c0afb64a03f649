// An item that counts its writes in `n` and is written only from the version that was read. Each write carries a random
// id in `w`: when a write that timed out is sent again and rejected, the id shows whether the first try took effect.
// Comparing the content is not enough: two writers may write the same content.
import { randomBytes } from 'node:crypto';
import type { SaveResult } from '../../shared/ports.ts';
import { numberValue, type StoredItem } from './attribute-values.ts';
import type { Connection } from './dynamodb-client.ts';
import { ifVersion, putIf } from './dynamodb-conditional-put.ts';

export interface VersionedItem {
  readonly table: string;
  readonly key: string;
  readonly attributes: StoredItem;
}

/** Writes the item as the version after the expected one. */
export async function putNextVersion(
  connection: Connection,
  { table, key, attributes }: VersionedItem,
  expectedVersion: number,
): Promise<SaveResult> {
  const writer = randomBytes(9).toString('base64url');
  const item = {
    k: { S: key },
    ...attributes,
    n: numberValue(expectedVersion + 1),
    w: { S: writer },
  };
  const outcome = await putIf(connection, {
    table,
    key: ['k'],
    item,
    condition: ifVersion(expectedVersion),
  });
  return outcome.written || outcome.stored?.w?.S === writer ? 'saved' : 'conflict';
}
