// The template's event source mappings: queues and the ledger's stream, each with its batch size, filters, starting
// position and kind of failure report.
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { EventSourceMapping } from '../engines/event-source-mapping.ts';
import { pollQueue } from '../engines/poll-queue.ts';
import { pollStream } from '../engines/poll-stream.ts';
import { resourcesOf } from './template.ts';
import type { World } from './world.ts';

/** Lambda makes these calls with the function's role, and rejects a mapping without their permissions. */
const READING_QUEUES = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
const READING_STREAMS = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];

/** @returns the mappings, in the order of the flow: the poll queue, the ledger's stream, the ordered queues */
export function startEventSources(world: World): EventSourceMapping[] {
  const enabled = resourcesOf(world.template, 'AWS::Lambda::EventSourceMapping')
    .map(([id]) => world.properties(id))
    .filter(({ Enabled }) => Enabled !== false);
  const ofStreams = enabled.filter(({ EventSourceArn }) => EventSourceArn.includes(':dynamodb:'));
  const ofQueues = enabled.filter(({ EventSourceArn }) => EventSourceArn.includes(':sqs:'));
  const isFifo = ({ EventSourceArn }: { EventSourceArn: string }) => EventSourceArn.endsWith('.fifo');
  return [
    ...ofQueues.filter((it) => !isFifo(it)).map((it) => readQueue(world, it)),
    ...ofStreams.map((it) => readStream(world, it)),
    ...ofQueues.filter(isFifo).map((it) => readQueue(world, it)),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: properties as they come
function readQueue(world: World, mapping: any): EventSourceMapping {
  const { EventSourceArn, BatchSize = 10 } = mapping;
  for (const action of READING_QUEUES)
    world.require(world.roleOf(mapping.FunctionName), { action, resource: EventSourceArn });
  return pollQueue({
    client: world.sqs,
    queueUrl: world.created.queueUrl(EventSourceArn),
    batchSize: BatchSize,
    handler: handlerOf(world, mapping),
    clock: createSystemClock(),
    onError: world.fail,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function readStream(world: World, mapping: any): EventSourceMapping {
  const { EventSourceArn, BatchSize = 100, ParallelizationFactor = 1, StartingPosition } = mapping;
  const { FilterCriteria, DestinationConfig } = mapping;
  const role = world.roleOf(mapping.FunctionName);
  for (const action of READING_STREAMS) world.require(role, { action, resource: EventSourceArn });
  world.require(role, { action: 'dynamodb:ListStreams', resource: '*' });
  const destination = DestinationConfig?.OnFailure?.Destination;
  if (destination !== undefined) world.require(role, { action: 'sqs:SendMessage', resource: destination });
  return pollStream({
    client: world.streams,
    tableName: world.created.tableOfStream(EventSourceArn),
    batchSize: BatchSize,
    parallelizationFactor: ParallelizationFactor,
    startingPosition: StartingPosition,
    filters: (FilterCriteria?.Filters ?? []).map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern)),
    handler: handlerOf(world, mapping),
    clock: createSystemClock(),
    onError: world.fail,
  });
}

type Handler = (event: unknown) => Promise<unknown>;

/** A function's failure report counts only if its mapping enables it. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function handlerOf(world: World, { FunctionName, FunctionResponseTypes = [] }: any): Handler {
  const lambda = world.functionOf(FunctionName);
  const reports = FunctionResponseTypes.includes('ReportBatchItemFailures');
  return async (event) => {
    const response = await lambda.invoke(event);
    return reports ? response : undefined;
  };
}
