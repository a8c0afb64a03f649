// Review: "429, 503 | The endpoint pauses as a whole, for `Retry-After` if that is longer than the next pause."
// (docs/webhooks.md); "An endpoint must get no events for a while. | `webhooks pause ID`" (docs/operating.md).
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { aKey } from '../../shared/publishing/an-event.ts';
import { openWebhooks, type WebhookDeployment } from './a-webhook.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
let webhooks: WebhookDeployment;
beforeAll(async () => {
  webhooks = await openWebhooks();
  for (const group of [1, 2, 3]) {
    await webhooks.deployment.write(aKey(group), 1, 2);
    await webhooks.deployment.marks.advance('Wms', aKey(group), 2);
  }
});
afterAll(() => webhooks.close());
beforeEach(() => {
  webhooks.receiver.attempts.length = 0;
});

test('replay: an endpoint that answers 429 is left alone', async () => {
  webhooks.receiver.answer = () => 429;
  const began = performance.now();
  const { code, stderr } = await webhooks.run('replay', 'acme', '--to', 'Wms');
  webhooks.receiver.answer = () => 204;
  console.log(code, stderr, webhooks.receiver.attempts, `${Math.round(performance.now() - began)} ms with the start`);

  expect(webhooks.receiver.attempts.length).toBeLessThanOrEqual(3);
});

test('replay: a paused webhook gets no events', async () => {
  console.log((await webhooks.run('webhooks', 'pause', 'Wms')).stdout);
  const { code, stderr } = await webhooks.run('replay', 'acme', '--to', 'Wms');
  console.log(code, stderr);

  expect(webhooks.receiver.attempts).toEqual([]);
});
