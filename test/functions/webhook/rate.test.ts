// The senders of a webhook with a maximum rate, as Lambda runs them: a few at once, each invocation in a new process.
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { formatTestId } from '../../../functions/webhook/endpoint-test.ts';
import { createRingHandler } from '../../../functions/webhook/ring-handler.ts';
import { formatEventId } from '../../../shared/contract/event-id.ts';
import { MILLISECOND, SECOND } from '../../../shared/instant.ts';
import { newEndpoint } from '../../../shared/webhooks/endpoint-state.ts';
import { createPostPace } from '../../../shared/webhooks/post-pace.ts';
import { aKey } from '../../shared/publishing/an-event.ts';
import { createWebhookWorld, WEBHOOK } from '../../shared/webhooks/webhook-world.ts';

const RETURNS = 30;
const INVOCATION_MS = 60_000;
const TIME_TO_FINISH_MS = 5_000;

function aWebhook(pauseMs: number, attemptMs = 15_000) {
  const world = createWebhookWorld();
  const { clock } = world;
  const startedAt: number[] = [];

  /** Handles a message in a process of its own. */
  async function invoke(body: object): Promise<void> {
    const post = (request: Parameters<typeof world.ports.post>[0]) => {
      startedAt.push(clock.elapsed());
      return world.ports.post(request);
    };
    const pace = createPostPace(post, pauseMs, clock);
    const send = world.sender({ post: pace.post, untilNextPost: pace.untilNext, attemptMs });
    const handle = createRingHandler({
      client: new SQSClient({ region: 'eu-west-1' }),
      queueUrl: 'http://127.0.0.1:1/wms',
      // Otherwise a message that is not done would be hidden in the queue, which does not exist.
      send: async (...ring) => send(...ring).then(() => ({ isDone: true })),
      test: async () => void (await pace.post({ id: 'test', body: JSON.stringify({ data: {} }) })),
      log: world.log,
      onFailing() {},
      untilNextPost: pace.untilNext,
    });
    const timeLeftMs = INVOCATION_MS - pace.endingMs(attemptMs) - TIME_TO_FINISH_MS;
    await handle({ Records: [{ messageId: 'm', body: JSON.stringify(body) } as SQSRecord] }, timeLeftMs);
  }
  return { world, startedAt, invoke };
}

const ringOf = (group: number) => ({ id: formatEventId({ ...aKey(group), sequence: 1 }) });

describe('a maximum rate', () => {
  test.each([
    { senders: 2, perSecond: 1, events: 1 },
    { senders: 2, perSecond: 1, events: 4 },
    { senders: 5, perSecond: 10, events: 3 },
    { senders: 5, perSecond: 0.25, events: 2 },
  ])(
    'of $perSecond a second holds for $senders senders, returns with $events events, and tests',
    async ({ senders, perSecond, events }) => {
      const { world, startedAt, invoke } = aWebhook((senders / perSecond) * 1_000);
      const messages: object[] = [];
      for (let group = 1; group <= RETURNS; group += 1) {
        for (let sequence = 1; sequence <= events; sequence += 1) world.show(aKey(group), sequence);
        messages.push(ringOf(group), { test: formatTestId(group) });
      }
      world.takesMs = () => 80;
      const sender = async () => {
        for (let it = messages.pop(); it !== undefined; it = messages.pop()) await invoke(it);
      };

      await world.clock.run(Promise.all(Array.from({ length: senders }, sender)));

      expect(startedAt.length).toBeGreaterThanOrEqual(2 * RETURNS);
      const excess = startedAt.flatMap((from, first) =>
        startedAt.slice(first).map((to, more) => more + 1 - (perSecond * (to - from)) / SECOND),
      );
      expect(Math.max(...excess)).toBeLessThanOrEqual(senders);
      // The rate is used up.
      expect(startedAt.length / (startedAt.at(-1)! / SECOND)).toBeGreaterThan(0.9 * perSecond);
    },
  );

  test('delays nothing where nothing is posted', async () => {
    const { world, startedAt, invoke } = aWebhook(20_000);
    world.show(aKey(1), 1);
    await world.endpoints.save(WEBHOOK, { ...newEndpoint(world.clock.now()), isPaused: true }, 0);
    const began = world.clock.elapsed();

    await world.clock.run(invoke(ringOf(1)));

    expect(startedAt).toEqual([]);
    expect(world.clock.elapsed()).toBe(began);
  });

  test.each([2, 3])(
    'with the longest pause and attempt fits into an invocation that hangs at event %d',
    async (slow) => {
      const { world, startedAt, invoke } = aWebhook(20_000, 25_000);
      for (let sequence = 1; sequence <= 9; sequence += 1) world.show(aKey(1), sequence);
      world.takesMs = ({ data }) => (data.sequence < slow ? 0 : 25_000);

      await world.clock.run(invoke(ringOf(1)));

      expect(startedAt).toHaveLength(2);
      expect(world.clock.elapsed() / MILLISECOND).toBeLessThan(INVOCATION_MS - TIME_TO_FINISH_MS);
    },
  );
});
