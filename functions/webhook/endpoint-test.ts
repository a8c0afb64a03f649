// A test of a webhook that an operator asked for: one attempt with an event that only says that it is a test. It goes
// through the webhook's queue, because only the sender shows whether the sender's network, secrets and URL work.
import { makeEnvelope } from '../../shared/comparing/make-event.ts';
import { FEED_GROUP, formatEventId, parseEventId } from '../../shared/contract/event-id.ts';
import type { Instant } from '../../shared/instant.ts';
import type { WebhookPorts } from '../../shared/webhooks/webhook-sender.ts';
import type { EndpointTests } from '../adapters/dynamodb-endpoint-tests.ts';

/** Stands for a source's name in the ids of tests. */
const TEST_SOURCE = 'test';
/** Not in the ledger and not in the contract: receivers answer it and do nothing. */
const TYPE = 'feed.endpoint_test';

interface TestId {
  readonly source: typeof TEST_SOURCE;
  readonly generation: string;
  readonly group: typeof FEED_GROUP;
  readonly sequence: number;
}

/** Returns a test's id, which has the form of an event's. @param at milliseconds since 1970 */
export function formatTestId(at: number): string {
  return formatEventId({ source: TEST_SOURCE, generation: at.toString(36), group: FEED_GROUP, sequence: 1 });
}

/** @returns undefined for a text that is not a test's id */
export function parseTestId(id: string): TestId | undefined {
  const parts = parseEventId(id);
  if (parts?.source !== TEST_SOURCE || parts.group !== FEED_GROUP) return undefined;
  return { ...parts, source: TEST_SOURCE, group: FEED_GROUP };
}

export interface EndpointTestPorts extends Pick<WebhookPorts, 'webhook' | 'post' | 'clock' | 'log'> {
  readonly tests: EndpointTests;
}

/**
 * Posts the test once, whatever the endpoint's state, and stores the answer. The answer does not change the state.
 */
export type RunEndpointTest = (id: TestId) => Promise<void>;

export function createEndpointTest({ webhook, post, tests, clock, log }: EndpointTestPorts): RunEndpointTest {
  return async (parts) => {
    const id = formatEventId(parts);
    // The queue delivers a message more than once where its deletion was lost.
    if ((await tests.load(webhook))?.id === id) return;
    const answer = await post({ id, body: JSON.stringify(makeEndpointTest(webhook, parts, clock.now())) });
    const { requestMs } = answer;
    const status = 'status' in answer ? answer.status : answer.failure;
    log.info('posted', { webhook, id, status, requestMs });
    await tests.save(webhook, { id, answer });
  };
}

/** @param webhook the name that the event shows */
export function makeEndpointTest(webhook: string, parts: TestId, time: Instant) {
  const { generation, sequence } = parts;
  return {
    ...makeEnvelope(TYPE, `feed/endpoint-tests/${webhook}`, sequence, { ...parts, time }),
    data: { generation, sequence, object: { type: 'endpoint_test', webhook } },
  };
}
