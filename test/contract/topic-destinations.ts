// The FIFO topic as a destination, on the engine and behind a proxy with AWS's own rules.
import { createSnsDestination } from '../../functions/adapters/sns-destination.ts';
import { startSqsEngine } from '../engines/sqs-engine.ts';
import { startStrictTopic } from './strict-topic.ts';
import { MAX_BYTES, type TestDestination } from './test-destination.ts';
import { connectSns, connectSqs, createTopicWithQueue, drain } from './topic-clients.ts';

export async function openTopic(): Promise<TestDestination> {
  const engine = await startSqsEngine();
  const [client, sqs] = [connectSns(engine.endpoint), connectSqs(engine.endpoint)];
  const { topicArn, queueUrl } = await createTopicWithQueue(client, sqs);
  return {
    destination: createSnsDestination({ client, topicArn, maxBytes: MAX_BYTES }),
    broken: createSnsDestination({ client, topicArn: topicArn.replace('events', 'no-more') }),
    received: async () => (await drain(sqs, queueUrl)).map(({ Body = '' }) => JSON.parse(Body)),
    async close() {
      client.destroy();
      sqs.destroy();
      await engine.stop();
    },
  };
}

/** The topic has a smaller maximum size than the adapter, so that the topic rejects events. */
export async function openStrictTopic(): Promise<TestDestination> {
  const engine = await startSqsEngine();
  const proxy = await startStrictTopic({ engine: engine.endpoint, maximumMessageSize: MAX_BYTES });
  const [client, sqs] = [connectSns(proxy.endpoint), connectSqs(engine.endpoint)];
  const { topicArn, queueUrl } = await createTopicWithQueue(client, sqs);
  return {
    destination: createSnsDestination({ client, topicArn }),
    broken: createSnsDestination({ client, topicArn: topicArn.replace('events', 'no-more') }),
    received: async () => (await drain(sqs, queueUrl)).map(({ Body = '' }) => JSON.parse(Body)),
    failures: {
      throttle: (id, calls) => proxy.next(() => ({ entries: { [id]: { code: 'Throttled' } } }), calls),
      rejectCallsWith: (id) =>
        proxy.next(
          (ids) => (ids.includes(id) ? { error: { code: 'InvalidParameter' } } : { entries: {} }),
          Number.POSITIVE_INFINITY,
        ),
    },
    async close() {
      client.destroy();
      sqs.destroy();
      await proxy.close();
      await engine.stop();
    },
  };
}
