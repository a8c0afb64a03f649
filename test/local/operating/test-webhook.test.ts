import { expect, test } from 'vitest';
import { parseTestId } from '../../../functions/webhook/endpoint-test.ts';
import { testWebhook } from '../../../local/commands/webhooks-test.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { Clock } from '../../../shared/ports.ts';

/** A clock with pauses that take no time. */
function aClock(): Clock {
  let elapsed = 0;
  return {
    now: () => 1_763_800_000_000_000 + elapsed,
    elapsed: () => elapsed,
    sleep: async (durationMs) => {
      elapsed += durationMs * MILLISECOND;
    },
  };
}

test('waits for the answer to its own test, not to an earlier one', async () => {
  const sent: string[] = [];
  const answer = { status: 204, retryAfter: undefined, requestMs: 12 };
  const results = [
    { id: 'test_a_feed_1', answer },
    { id: 'test_a_feed_1', answer },
  ];
  const tests = { load: async () => results.shift() ?? { id: sent[0] ?? '', answer } };

  const outcome = await testWebhook(
    { queue: { test: async (id) => void sent.push(id) }, tests, clock: aClock() },
    'Wms',
  );

  expect(outcome).toEqual({ id: sent[0], answer });
  expect(parseTestId(outcome.id)).toBeDefined();
  expect(results).toEqual([]);
});

test('stops waiting after a minute', async () => {
  const clock = aClock();
  const tests = { load: async () => undefined };

  const outcome = await testWebhook({ queue: { test: async () => {} }, tests, clock }, 'Wms');

  expect(outcome.answer).toBeUndefined();
  expect(clock.elapsed()).toBe(60_000 * MILLISECOND);
});
