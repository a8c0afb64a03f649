// The subscriber's kit: handlers by event type, on the ordered queue or on the bus.
//
//   export const handler = createQueueSubscriber({
//     on: becomes('shipment', { DELIVERED: async (event, context) => { … } }),
//     tableName: process.env.TABLE_NAME,
//   });
//
// For a handler, it passes one event at a time (on the queue in order); parses events, so that each field has its type;
// leaves out duplicates and stale events; skips events that this release does not know. A failed event is delivered
// again, and on the queue its return group waits for it while the others continue. docs/subscribing.md has the details.
import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from '@aws-lambda-powertools/batch';
import { createDeliver, type Deliver, hasTime } from './deliver.ts';
import type {
  BusEvent,
  LambdaContext,
  Outcome,
  QueueEvent,
  QueueResponse,
  SubscriberLog,
  SubscriberOptions,
} from './subscriber-options.ts';

/** A Lambda handler for an SQS queue. */
export type QueueSubscriber = (event: QueueEvent, context: LambdaContext) => Promise<QueueResponse>;

/** A Lambda handler for rules of the bus: as a rule's target, or reading a queue that is one. */
export type BusSubscriber = (
  event: BusEvent | QueueEvent,
  context: LambdaContext,
) => Promise<QueueResponse | undefined>;

/**
 * A subscriber to the ordered queue. Its event source mapping must report batch item failures. If a whole batch fails,
 * it throws, so that the function shows an error as well, unless the batch came with no time left.
 *
 * @throws Error for options that can't work together
 */
export function createQueueSubscriber(options: SubscriberOptions): QueueSubscriber {
  const log = options.log ?? console;
  const deliver = createDeliver(options, log);
  return (event, context) =>
    processBatch(event, context, { deliver, log }, (handleRecord) =>
      processPartialResponse(mutable(event), handleRecord, new SqsFifoPartialProcessorAsync(), {
        skipGroupOnError: true,
        throwOnFullBatchFailure: hasTime(context),
      }),
    );
}

/**
 * A subscriber to the bus, invoked by a rule or reading an ordinary queue. Events come in any order. By
 * default an event is not handled if a newer one of its subject was handled before (see `stale` and `replays`).
 *
 * @throws Error for options that can't work together
 */
export function createBusSubscriber(options: SubscriberOptions): BusSubscriber {
  const log = options.log ?? console;
  const deliver = createDeliver(options, log);
  return async (event, context) => {
    if ('Records' in event)
      return processBatch(event, context, { deliver, log }, (handleRecord) =>
        // One after the other: two events of one subject at once could overtake each other.
        processPartialResponse(mutable(event), handleRecord, new BatchProcessor(EventType.SQS), {
          processInParallel: false,
          throwOnFullBatchFailure: hasTime(context),
        }),
      );
    try {
      await deliver(event, context, 1);
    } catch (error) {
      log.error('An event failed and will be delivered again.', { error });
      throw error;
    }
    return undefined;
  };
}

/** Any subscriber sees these; a repeat was handled before. They need no line in the log. */
const EXPECTED: ReadonlySet<string> = new Set<Outcome>(['handled', 'repeated', 'unhandled']);

type QueueRecord = QueueEvent['Records'][number];
type HandleRecord = (record: QueueRecord) => Promise<void>;

/** Processors hold the state of a batch: each batch gets its own, so that batches may run in parallel. */
async function processBatch(
  { Records }: QueueEvent,
  context: LambdaContext,
  { deliver, log }: { readonly deliver: Deliver; readonly log: SubscriberLog },
  process: (handleRecord: HandleRecord) => Promise<QueueResponse>,
): Promise<QueueResponse> {
  const outcomes: Partial<Record<Outcome, number>> = {};
  const count = (outcome: Outcome) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  try {
    return await process(async ({ messageId, body, attributes }) => {
      try {
        count(await deliver(JSON.parse(body), context, Number(attributes?.ApproximateReceiveCount ?? 1)));
      } catch (error) {
        count('failed');
        log.error('An event failed and will be delivered again.', { messageId, error });
        throw error;
      }
    });
  } finally {
    if (Object.keys(outcomes).some((outcome) => !EXPECTED.has(outcome)))
      log.info('Not all events were handled.', { messages: Records.length, ...outcomes });
  }
}

/** Powertools' types require mutable arrays, but it changes none. */
function mutable(event: QueueEvent): { Records: Record<string, unknown>[] } {
  return event as never;
}
