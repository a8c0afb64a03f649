// The SDK of CloudEvents for JavaScript reads what a webhook is sent. It does not support the newest Node, so it is
// installed here and not with the project.
import { afterEach, expect, test } from 'vitest';
import { closeAll } from '../functions/adapters/listeners.ts';
import { open, receiver } from '../functions/adapters/webhook-post-under-test.ts';
import { recordedLines } from '../shared/contract/committed-contracts.ts';
import { installTool } from './install-tool.ts';

interface CloudEventsModule {
  readonly HTTP: { toEvent(message: { headers: object; body: string }): unknown };
}

afterEach(closeAll);

test('a posted event is a CloudEvent to the SDK for JavaScript', async ({ skip }) => {
  const sdk = installTool('cloudevents@10.0.0') as CloudEventsModule | undefined;
  if (sdk === undefined) return skip('cloudevents could not be installed');
  const { url, received } = await receiver(204);
  const post = open(url);
  const events = recordedLines().map((line) => JSON.parse(line));

  for (const event of events) await post({ id: event.id, body: JSON.stringify(event) });

  // The SDK cuts times to milliseconds.
  expect(
    received.map(({ headers, body }) => JSON.parse(`${sdk.HTTP.toEvent({ headers, body: String(body) })}`)),
  ).toEqual(events.map((event) => ({ ...event, time: new Date(event.time).toISOString() })));
}, 300_000);
