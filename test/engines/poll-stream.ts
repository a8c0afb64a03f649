// Lambda's event source mapping for a DynamoDB stream. Each shard has a loop of its own, and a child starts only after
// its parent is processed, so the records of an item stay in order. The position is not stored: a new mapping begins
// at its starting position.
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ListStreamsCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Clock } from '../../shared/ports.ts';
import { createBreakablePauses } from './breakable-pauses.ts';
import { EngineError } from './engine-error.ts';
import { compileEventPattern, type EventPattern } from './event-pattern.ts';
import { type EventSourceMapping, pauseAfter, stoppedBeforeIdle } from './event-source-mapping.ts';
import { readShard } from './read-shard.ts';
import { createShardLineage, type ShardState, type StartingPosition } from './shard-lineage.ts';

/** Between reads of a shard without new records. Lambda reads four times a second. */
const READ_EVERY_MS = 100;
/** The same while a caller waits for `idle`. */
const HURRIED_READ_EVERY_MS = 5;
/**
 * The pause after a slow read is this many times as long as the read: the embedded engine scans all records of the
 * table for each read, and readers that find nothing must not keep it busy.
 */
const PAUSE_PER_READ = 9;
const LONGEST_PAUSE_MS = 1_000;
const SHARD_LIST_MS = 10_000;

export interface StreamMapping {
  readonly client: DynamoDBStreamsClient;
  readonly tableName: string;
  /** Returns nothing, or the failed sequence numbers (DynamoDBBatchResponse); a rejection fails all records. */
  readonly handler: (event: DynamoDBStreamEvent) => Promise<unknown>;
  readonly clock: Clock;
  /** Called with the errors of failed invocations and of failed calls to the stream; both are retried. */
  readonly onError: (error: unknown) => void;
  /** @default TRIM_HORIZON */
  readonly startingPosition?: StartingPosition;
  /** Only records that match one of these reach the handler, for example `{ eventName: ['INSERT'] }`. @default all */
  readonly filters?: readonly EventPattern[];
  /** Records per invocation, 1 to 1000. @default 100 */
  readonly batchSize?: number;
  /** Concurrent invocations per shard, 1 to 10; above 1 only the records of each item keep their order. @default 1 */
  readonly parallelizationFactor?: number;
}

interface IdleWait {
  /** Number of shard listings at the time of the call; `idle` needs one more. */
  readonly looksBefore: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Starts to read a table's stream. `idle` waits until the handler has processed each shard to its end. */
export function pollStream(mapping: StreamMapping): EventSourceMapping {
  const stopping = new AbortController();
  const pauses = createBreakablePauses(mapping.clock);
  const lineage = createShardLineage(mapping.startingPosition ?? 'TRIM_HORIZON');
  const wanted = compileFilters(mapping.filters ?? []);
  const idleWaits = new Set<IdleWait>();
  let looks = 0;

  function settleIdleWaits(): void {
    if (!lineage.isQuiet()) return;
    for (const wait of idleWaits) {
      if (looks <= wait.looksBefore) continue;
      idleWaits.delete(wait);
      wait.resolve();
    }
  }

  async function read(streamArn: string, state: ShardState): Promise<void> {
    const reading = {
      ...mapping,
      ...{ streamArn, shardId: state.shardId, startAt: state.startAt, wanted },
      batchSize: mapping.batchSize ?? 100,
      parallelizationFactor: mapping.parallelizationFactor ?? 1,
      foundNothing: (readTookMs: number) => {
        state.quietReads += 1;
        settleIdleWaits();
        const everyMs = idleWaits.size > 0 ? HURRIED_READ_EVERY_MS : READ_EVERY_MS;
        return pauses.pause(Math.max(everyMs, Math.min(LONGEST_PAUSE_MS, readTookMs * PAUSE_PER_READ)));
      },
    };
    if (!(await readShard(reading, stopping.signal))) return;
    state.progress = 'ended';
    pauses.cutShort();
  }

  async function run(): Promise<void> {
    const reads: Promise<void>[] = [];
    let streamArn: string | undefined;
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        streamArn ??= await findStream(mapping, stopping.signal);
        const ended = lineage.ended();
        const listed = await listShards(mapping.client, streamArn, stopping.signal);
        for (const state of lineage.take(listed, ended)) reads.push(read(streamArn, state));
        looks += 1;
        failures = 0;
        settleIdleWaits();
        await pauses.pause(SHARD_LIST_MS);
      } catch (error) {
        if (stopping.signal.aborted) break;
        mapping.onError(error);
        await mapping.clock.sleep(pauseAfter(++failures), stopping.signal);
      }
    }
    await Promise.all(reads);
  }

  const running = run();
  return {
    idle: () =>
      new Promise((resolve, reject) => {
        if (stopping.signal.aborted) return reject(stoppedBeforeIdle());
        idleWaits.add({ looksBefore: looks, resolve, reject });
        lineage.disturb();
        pauses.cutShort();
      }),
    async stop() {
      stopping.abort();
      pauses.close();
      for (const wait of idleWaits) wait.reject(stoppedBeforeIdle());
      idleWaits.clear();
      await running;
    },
  };
}

function compileFilters(filters: readonly EventPattern[]): (record: DynamoDBRecord) => boolean {
  const tests = filters.map((filter) => compileEventPattern(filter));
  return (record) => tests.length === 0 || tests.some((test) => test(record));
}

async function findStream({ client, tableName }: StreamMapping, stopping: AbortSignal): Promise<string> {
  const command = new ListStreamsCommand({ TableName: tableName });
  const { Streams = [] } = await client.send(command, { abortSignal: stopping });
  // A table may still list earlier streams. Labels begin with the time of creation.
  const newest = Streams.sort((a, b) => (a.StreamLabel ?? '').localeCompare(b.StreamLabel ?? '')).at(-1);
  if (newest?.StreamArn === undefined) throw new EngineError(`The table ${tableName} has no stream.`);
  return newest.StreamArn;
}

async function listShards(
  client: DynamoDBStreamsClient,
  streamArn: string,
  stopping: AbortSignal,
): Promise<readonly Shard[]> {
  const shards: Shard[] = [];
  let after: string | undefined;
  do {
    const command = new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId: after });
    const { StreamDescription } = await client.send(command, { abortSignal: stopping });
    shards.push(...(StreamDescription?.Shards ?? []));
    after = StreamDescription?.LastEvaluatedShardId;
  } while (after !== undefined);
  return shards;
}
