// For any filter and events, a subscription's filter policy at the topic and the predicate match the same events.
import { DeleteTopicCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import {
  type EventFilter,
  filterAttributes,
  filterPolicy,
  matchesFilter,
} from '../../shared/contract/event-filter.ts';
import { MAX_BATCH_ENTRIES } from '../../shared/limits.ts';
import { createLocalTopic } from '../engines/local-topic.ts';
import { type SqsEngine, startSqsEngine } from '../engines/sqs-engine.ts';
import { runs } from '../property-runs.ts';
import { acceptsPolicy } from '../simulation-of-webhooks/world/filter-policy.ts';
import { anEvent, filters, SOURCES, TYPES, traits } from './drawn-events.ts';
import { connectSns, connectSqs, drain } from './topic-clients.ts';

let engine: SqsEngine;
let sns: SNSClient;
let sqs: SQSClient;
let run = 0;

beforeAll(async () => {
  engine = await startSqsEngine();
  sns = connectSns(engine.endpoint);
  sqs = connectSqs(engine.endpoint);
});
afterAll(async () => {
  sns.destroy();
  sqs.destroy();
  await engine.stop();
});

/** One event of each type, and one of each source, so that conditions on either exclude some of them. */
const eventLists = fc
  .tuple(
    fc.tuple(...TYPES.map((type) => traits.map((drawn) => ({ ...drawn, type })))),
    fc.tuple(...SOURCES.map((source) => fc.constantFrom(...TYPES).map((type) => ({ source, type })))),
  )
  .map(([ofEachType, ofEachSource]) =>
    [
      ...ofEachType,
      ...ofEachSource.map((drawn) => ({
        ...drawn,
        status: 'DELIVERED',
        before: 'OPEN',
        changed: ['weight'],
      })),
    ].map(anEvent),
  );

test('a topic’s filter policy and the predicate agree, and most filters exclude an event', async () => {
  let [passed, excluding] = [0, 0];
  const conditions = filters.filter((filter) => Object.keys(filter).length > 0);
  const property = fc.asyncProperty(conditions, eventLists, async (filter, events) => {
    const expected = events.filter((event) => matchesFilter(filter, event));

    const received = await receivedThrough(filter, events);

    expect(received).toEqual(expected.map(({ id }) => id).sort());
    if (received.length < events.length) excluding += 1;
    passed += received.length;
  });

  await fc.assert(property, { numRuns: runs(60) });

  expect(excluding).toBeGreaterThan(runs(60) / 2);
  expect(passed).toBeGreaterThan(0);
});

/**
 * The engine compares a list as one text (fauxqs 1.9.2), so here the rules that SNS documents decide about it.
 *
 * @returns the sorted ids of the events in the subscribed queue
 */
async function receivedThrough(filter: EventFilter, events: readonly FeedEvent[]): Promise<string[]> {
  if (filter.changed !== undefined) {
    const policy = filterPolicy(filter);
    const accepted = events.filter((event) => acceptsPolicy(policy, { ...filterAttributes(event) }));
    return accepted.map(({ id }) => id).sort();
  }
  const topic = await createLocalTopic(sns, sqs);
  const queueUrl = await topic.subscribeQueue(`run-${run++}`, filter);
  const destination = createSnsDestination({ client: sns, topicArn: topic.arn });
  for (let first = 0; first < events.length; first += MAX_BATCH_ENTRIES) {
    const results = await destination.send(events.slice(first, first + MAX_BATCH_ENTRIES));
    expect(results.every(({ sent }) => sent)).toBe(true);
  }
  const messages = await drain(sqs, queueUrl);
  await sns.send(new DeleteTopicCommand({ TopicArn: topic.arn }));
  return messages.map(({ Body = '' }) => JSON.parse(Body).id).sort();
}
