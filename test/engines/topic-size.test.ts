// Topics of the engine accept what AWS accepts, 1 MiB, and their queues get it unchanged.
import { PublishBatchCommand } from '@aws-sdk/client-sns';
import { expect, test } from 'vitest';
import { connectSns, connectSqs, createTopicWithQueue, drain } from '../contract/topic-clients.ts';
import { startSqsEngine } from './sqs-engine.ts';

const MIB = 1_048_576;

test.each([
  ['one-byte letters', 'a', MIB],
  ['letters of three bytes', '返', 262_145],
  ['the most that AWS accepts', 'é', MIB / 2],
])('a topic delivers a large message unchanged: %s', async (_, letter, length) => {
  const engine = await startSqsEngine();
  const [sns, sqs] = [connectSns(engine.endpoint), connectSqs(engine.endpoint)];
  const { topicArn, queueUrl } = await createTopicWithQueue(sns, sqs);
  const large = letter.repeat(length);
  const publish = (...texts: string[]) =>
    sns.send(
      new PublishBatchCommand({
        TopicArn: topicArn,
        PublishBatchRequestEntries: texts.map((Message, index) => ({
          Id: String(index),
          Message,
          MessageGroupId: 'a',
          MessageDeduplicationId: `${Message.length}-${index}`,
          MessageAttributes: { entity: { DataType: 'String', StringValue: 'shipment' } },
        })),
      }),
    );

  const accepted = await publish('small', large);
  const refused = await publish(`${'a'.repeat(MIB)}a`);

  expect([accepted.Failed, refused.Failed?.map(({ Code }) => Code)]).toEqual([[], ['InvalidParameter']]);
  // The SDK compares each message with its MD5.
  const received = (await drain(sqs, queueUrl)).map(({ Body }) => Body);
  expect(received.map((text) => text?.length)).toEqual([5, length]);
  expect(received[1] === large).toBe(true);
  sns.destroy();
  sqs.destroy();
  await engine.stop();
});
