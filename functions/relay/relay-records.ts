// Records of the ledger's stream, and which of them Lambda is to bring again.
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { TABLES } from '../../shared/deployment/tables.ts';
import type { GroupKey, Log } from '../../shared/ports.ts';
import type { Relay } from '../../shared/publishing/relay.ts';
import { formatGroupKey, parseGroupKey } from '../../shared/recording/group-key.ts';

/**
 * Relays the groups that the records name.
 *
 * Of a stream Lambda brings back the record with the lowest number named here and all that follow it, so one is
 * enough. A group that failed is tried again if any of its records comes again, so its last one will do: what lies
 * before that is not read once more.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function relayRecords(
  relay: Relay,
  log: Log,
  records: readonly DynamoDBRecord[],
  timeLeftMs: number,
): Promise<DynamoDBBatchResponse> {
  const groups = new Map<string, Named>();
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
  // An empty number makes Lambda bring back all of them.
  return { batchItemFailures: [{ itemIdentifier: first?.dynamodb?.SequenceNumber ?? '' }] };
}

interface Named {
  readonly key: GroupKey;
  /** Of its last record. */
  readonly place: number;
}

/** Records come in the order of their numbers. Those of deletions (the ledger's retention) name nothing to send. */
function groupOf({ eventName, dynamodb }: DynamoDBRecord, log: Log): GroupKey | undefined {
  if (eventName !== 'INSERT') return undefined;
  const text = dynamodb?.Keys?.[TABLES.ledger.partitionKey.name]?.S;
  const key = text === undefined ? undefined : parseGroupKey(text);
  // Tried again it would be no group either.
  if (key === undefined) log.error('record of no group', { sequenceNumber: dynamodb?.SequenceNumber });
  return key;
}
