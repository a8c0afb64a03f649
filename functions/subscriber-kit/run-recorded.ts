// Runs a handler without AWS: passes it recorded events, or those of a running `returns-feed watch --json`, as Lambda
// passes a queue's messages.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { LambdaContext, QueueEvent, QueueResponse } from './subscriber-options.ts';

/** The fields of an event that are needed to pass it on; the subscriber checks the rest. */
export type RecordedEvent = Pick<FeedEvent, 'id' | 'partitionkey'>;

export interface RecordedRun {
  /** Events that succeeded. */
  readonly done: number;
  /** The ids of those that failed; none is tried twice. */
  readonly failed: readonly string[];
}

const TIME_MS = 60_000;

/**
 * Passes events to a subscriber one by one, in the given order.
 *
 * @param subscriber the result of `createQueueSubscriber` or `createBusSubscriber`
 * @param events events, or lines of JSON: a file's, or standard input's through `node:readline`
 */
export async function runRecorded(
  subscriber: (event: QueueEvent, context: LambdaContext) => Promise<QueueResponse | undefined>,
  events: Iterable<RecordedEvent | string> | AsyncIterable<RecordedEvent | string>,
): Promise<RecordedRun> {
  const failed: string[] = [];
  let done = 0;
  for await (const each of events) {
    const event: RecordedEvent = typeof each === 'string' ? JSON.parse(each) : each;
    // A batch that fails as a whole throws; the subscriber has logged why.
    const wentThrough = await subscriber(toQueueEvent(event), contextOf(event.id)).then(
      (response) => response === undefined || response.batchItemFailures.length === 0,
      () => false,
    );
    if (wentThrough) done += 1;
    else failed.push(event.id);
  }
  return { done, failed };
}

function toQueueEvent(event: RecordedEvent): QueueEvent {
  const attributes = { MessageGroupId: event.partitionkey, ApproximateReceiveCount: '1' };
  return { Records: [{ messageId: event.id, body: JSON.stringify(event), attributes }] };
}

function contextOf(awsRequestId: string): LambdaContext {
  const end = Date.now() + TIME_MS;
  return { functionName: 'recorded', awsRequestId, getRemainingTimeInMillis: () => end - Date.now() };
}
