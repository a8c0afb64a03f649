// Receives signed webhooks (https://www.standardwebhooks.com) in any runtime with web standards: Node, Bun, Deno,
// workers. It checks the signature over the raw body, then handles the event by the same rules as the queue's
// subscriber. It answers 2xx only after the handler has finished: the sender then moves on to the return's next event.
// docs/webhooks.md describes the answers and how the sender handles them.

import { parseJson } from '../../shared/parse-json.ts';
import { createDeliver, SHORTEST_RUN_MS } from './deliver.ts';
import { isNotAnEvent, readEvent } from './read-event.ts';
import { createRequestReader, type Signed } from './signed-request.ts';
import { isInProgress } from './subscriber-memory.ts';
import type { LambdaContext, SubscriberLog, SubscriberOptions } from './subscriber-options.ts';
import { answer } from './webhook-answer.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export interface WebhookReceiverOptions extends SubscriberOptions {
  /** The receiver's name in the memory: keep it, or handled events are handled again. */
  readonly name: string;
  readonly secrets: WebhookSecrets;
  /**
   * The longest run of a handler in milliseconds. For so long after a process has started an event, other processes
   * with the same table leave the event alone. At least 1,000. @default 60,000
   */
  readonly longestRunMs?: number;
}

/** Its promise is never rejected. */
export type WebhookReceiver = (request: Request) => Promise<Response>;

const LONGEST_RUN_MS = 60_000;
/** The type of the event that `returns-feed webhooks test` sends. */
const ENDPOINT_TEST = 'feed.endpoint_test';
/** No longer than the sender's own first pause: a run is usually over by then. */
const RETRY_AFTER_SECONDS = '5';

/** @throws Error for a malformed secret, and for options that can't work */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  const { longestRunMs = LONGEST_RUN_MS } = options;
  if (longestRunMs < SHORTEST_RUN_MS)
    throw new Error(`\`longestRunMs\` must be at least ${SHORTEST_RUN_MS} (got ${longestRunMs}).`);
  const log = options.log ?? console;
  const readRequest = createRequestReader(options.secrets, log);
  const handle = createHandling(options, log);
  return async (request) => {
    let id: string | undefined;
    try {
      const signed = await readRequest(request);
      if (signed instanceof Response) return signed;
      id = signed.id;
      return await handle(signed);
    } catch (error) {
      if (isInProgress(error)) return inProgress();
      log.error('An event failed and will be delivered again.', { id, error });
      if (isNotAnEvent(error)) return answer(400, 'The body is not an event that this receiver can read.');
      return answer(500, 'The event was not handled; the receiver’s log says why.');
    }
  };
}

/** Handles one event of each return at a time, in this process. */
function createHandling(options: WebhookReceiverOptions, log: SubscriberLog) {
  const deliver = createDeliver(options, log);
  const busyReturns = new Set<string>();
  return async ({ id, body }: Signed): Promise<Response> => {
    const value = parseJson(body);
    if (isEndpointTest(value)) {
      log.info('A test event arrived.', { id });
      return answer(204);
    }
    const { partitionkey } = readEvent(value).envelope;
    if (busyReturns.has(partitionkey)) return inProgress();
    busyReturns.add(partitionkey);
    try {
      // Requests do not count their attempts.
      await deliver(value, contextOf(options, id), 1);
      return answer(204);
    } finally {
      busyReturns.delete(partitionkey);
    }
  };
}

/** Not 503, at which the sender pauses the whole endpoint: after 409 only this return waits. */
function inProgress(): Response {
  return answer(409, 'An event of this return is being handled.', { 'retry-after': RETRY_AFTER_SECONDS });
}

function isEndpointTest(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === ENDPOINT_TEST;
}

/** The context of handlers and memory, in the place of Lambda's. */
function contextOf({ name, longestRunMs }: WebhookReceiverOptions, awsRequestId: string): LambdaContext {
  const end = Date.now() + (longestRunMs ?? LONGEST_RUN_MS);
  return { functionName: name, awsRequestId, getRemainingTimeInMillis: () => Math.max(0, end - Date.now()) };
}
