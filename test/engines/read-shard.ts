// Reads one shard of a DynamoDB stream to its end and skips no record. A failed batch is retried from its first failed
// record until the handler has processed it. Several batches may run at once; as in Lambda, only the records of each
// item (partition and sort key) then keep their order.
// https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
import {
  type _Record,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import { failedIdentifiers, pauseAfter } from './event-source-mapping.ts';
import { toDynamoDbRecord } from './stream-record.ts';

export interface ShardReading {
  readonly client: DynamoDBStreamsClient;
  readonly streamArn: string;
  readonly shardId: string;
  readonly startAt: 'TRIM_HORIZON' | 'LATEST';
  readonly batchSize: number;
  /** Concurrent batches. */
  readonly parallelizationFactor: number;
  readonly handler: (event: DynamoDBStreamEvent) => Promise<unknown>;
  /** Whether a record reaches the handler. */
  readonly wanted: (record: DynamoDBRecord) => boolean;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Called after a read without records; the next read waits for it. */
  readonly foundNothing: (readTookMs: number) => Promise<void>;
}

/** @returns whether the shard was read to its end; false if it was stopped before */
export async function readShard(reading: ShardReading, stopping: AbortSignal): Promise<boolean> {
  const { client, batchSize, parallelizationFactor, clock } = reading;
  let position: Position = { type: reading.startAt };
  let iterator: string | undefined;
  let failures = 0;
  while (!stopping.aborted) {
    try {
      const startedAt = clock.elapsed();
      iterator ??= await findIterator(reading, position, stopping);
      const read = new GetRecordsCommand({
        ShardIterator: iterator,
        Limit: batchSize * parallelizationFactor,
      });
      const { Records = [], NextShardIterator } = await client.send(read, { abortSignal: stopping });
      failures = 0;
      if (Records.length > 0) {
        await handOver(reading, Records, stopping);
        position = {
          type: 'AFTER_SEQUENCE_NUMBER',
          sequenceNumber: Records.at(-1)?.dynamodb?.SequenceNumber,
        };
      }
      iterator = NextShardIterator;
      if (iterator === undefined) return !stopping.aborted;
      if (Records.length === 0) await reading.foundNothing((clock.elapsed() - startedAt) / MILLISECOND);
    } catch (error) {
      if (stopping.aborted) return false;
      if (error instanceof TrimmedDataAccessException) position = { type: 'TRIM_HORIZON' };
      // A new iterator is safe, except at LATEST: it would skip the records since the first one.
      const expired = error instanceof ExpiredIteratorException;
      if (expired || position.type !== 'LATEST') iterator = undefined;
      if (expired) continue;
      reading.onError(error);
      await clock.sleep(pauseAfter(++failures), stopping);
    }
  }
  return false;
}

interface Position {
  readonly type: 'TRIM_HORIZON' | 'LATEST' | 'AFTER_SEQUENCE_NUMBER';
  readonly sequenceNumber?: string | undefined;
}

async function findIterator(
  { client, streamArn, shardId }: ShardReading,
  { type, sequenceNumber }: Position,
  stopping: AbortSignal,
): Promise<string | undefined> {
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shardId,
      ShardIteratorType: type,
      SequenceNumber: sequenceNumber,
    }),
    { abortSignal: stopping },
  );
  return ShardIterator;
}

async function handOver(
  reading: ShardReading,
  found: readonly _Record[],
  stopping: AbortSignal,
): Promise<void> {
  const wanted = found.map((record) => toDynamoDbRecord(record, reading.streamArn)).filter(reading.wanted);
  const lanes = laneByItem(wanted, reading.parallelizationFactor);
  await Promise.all(lanes.map((lane) => handOverInOrder(reading, lane, stopping)));
}

async function handOverInOrder(
  reading: ShardReading,
  records: readonly DynamoDBRecord[],
  stopping: AbortSignal,
): Promise<void> {
  let rest = records;
  for (let failures = 0; rest.length > 0 && !stopping.aborted; ) {
    const batch = rest.slice(0, reading.batchSize);
    const through = await invoke(reading, batch);
    rest = rest.slice(through);
    failures = through > 0 ? 1 : failures + 1;
    if (through < batch.length) await reading.clock.sleep(pauseAfter(failures), stopping);
  }
}

/** Distributes items to lanes in turn; all records of an item are in one lane. */
function laneByItem(records: readonly DynamoDBRecord[], count: number): DynamoDBRecord[][] {
  const lanes: DynamoDBRecord[][] = Array.from({ length: count }, () => []);
  const laneOf = new Map<string, DynamoDBRecord[] | undefined>();
  for (const record of records) {
    const item = JSON.stringify(Object.entries(record.dynamodb?.Keys ?? {}).sort());
    if (!laneOf.has(item)) laneOf.set(item, lanes[laneOf.size % count]);
    laneOf.get(item)?.push(record);
  }
  return lanes;
}

/** @returns the number of records, from the first on, that the handler has processed */
async function invoke(
  { handler, onError }: ShardReading,
  records: readonly DynamoDBRecord[],
): Promise<number> {
  const identifiers = records.map((record) => record.dynamodb?.SequenceNumber ?? '');
  try {
    const failed = failedIdentifiers(await handler({ Records: [...records] }), new Set(identifiers));
    const firstFailed = identifiers.findIndex((identifier) => failed.has(identifier));
    return firstFailed === -1 ? records.length : firstFailed;
  } catch (error) {
    onError(error);
    return 0;
  }
}
