// Relays the records of the ledger's stream, and returns the one from which Lambda must retry.
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { TABLES } from '../../shared/deployment/tables.ts';
import type { GroupKey, Log } from '../../shared/ports.ts';
import type { Relay } from '../../shared/publishing/relay.ts';
import { formatGroupKey, parseGroupKey } from '../../shared/recording/group-key.ts';

/**
 * Relays the groups that the records name.
 *
 * For a stream, Lambda retries from the returned record with the lowest number, so one is enough. Any record of a group
 * makes the relay try the group again, so the last record of a failed group is enough: the ones before are not read
 * again. https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function relayRecords(
  relay: Relay,
  log: Log,
  records: readonly DynamoDBRecord[],
  timeLeftMs: number,
): Promise<DynamoDBBatchResponse> {
  /** Each group with the index of its last record. */
  const groups = new Map<string, { readonly key: GroupKey; readonly place: number }>();
  for (const [place, record] of records.entries()) {
    const key = groupOf(record, log);
    if (key !== undefined) groups.set(formatGroupKey(key), { key, place });
  }
  const named = [...groups.values()];
  const outcomes = await relay(
    named.map(({ key }) => key),
    timeLeftMs,
  );
  const failed = named.filter((_, index) => outcomes[index]?.state === 'failed');
  if (failed.length === 0) return { batchItemFailures: [] };
  const first = records[Math.min(...failed.map(({ place }) => place))];
  // An empty number makes Lambda retry all of them.
  return { batchItemFailures: [{ itemIdentifier: first?.dynamodb?.SequenceNumber ?? '' }] };
}

/** The group of an inserted record. Records of deletions (expired events) name no event to send. */
function groupOf({ eventName, dynamodb }: DynamoDBRecord, log: Log): GroupKey | undefined {
  if (eventName !== 'INSERT') return undefined;
  const text = dynamodb?.Keys?.[TABLES.ledger.partitionKey.name]?.S;
  const key = text === undefined ? undefined : parseGroupKey(text);
  // Log and skip: a retry would not name a group either.
  if (key === undefined)
    log.error('stream record without a group', { sequenceNumber: dynamodb?.SequenceNumber });
  return key;
}
