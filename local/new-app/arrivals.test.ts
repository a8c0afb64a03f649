import { equal } from 'node:assert/strict';
import { mock, test } from 'node:test';
import onItsWay from 'returns-change-feed/events/examples/shipment.created.json' with { type: 'json' };
import delivered from 'returns-change-feed/events/examples/shipment.status_changed.json' with {
  type: 'json',
};
import { type RecordedEvent, runRecorded } from 'returns-change-feed/subscriber-kit';
import { handler } from './arrivals.ts';

test('a parcel on its way is not acted on', async () => {
  equal(await printedOn([onItsWay]), '');
});

test('the goods of a delivered parcel are booked once, even if its event comes twice', async () => {
  const printed = await printedOn([delivered, delivered]);

  for (const { sku } of delivered.data.items) equal(printed.split(sku).length - 1, 1);
});

/** Runs the handler and returns its output, without the log of the subscriber. */
async function printedOn(events: readonly RecordedEvent[]): Promise<string> {
  const log = mock.method(console, 'log', () => {});
  mock.method(console, 'info', () => {});
  await runRecorded(handler, events);
  mock.restoreAll();
  return log.mock.calls.map(({ arguments: printed }) => JSON.stringify(printed)).join('\n');
}
