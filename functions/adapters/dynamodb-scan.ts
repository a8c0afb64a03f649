import {
  type DynamoDBClient,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { StoredItem } from './attribute-values.ts';

/** All items that a scan of a table finds, page after page. */
export async function* scanItems(
  client: DynamoDBClient,
  input: Omit<ScanCommandInput, 'ExclusiveStartKey'>,
): AsyncGenerator<StoredItem> {
  let start: StoredItem | undefined;
  do {
    const page: ScanCommandOutput = await client.send(
      new ScanCommand({ ...input, ExclusiveStartKey: start }),
    );
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
