import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import delivered from 'returns-change-feed/events/examples/shipment.status_changed.json' with {
  type: 'json',
};
import { runRecorded } from 'returns-change-feed/subscriber-kit';
import { createArrivals, type Parcel } from './arrivals.ts';

test('a delivered parcel is acted on once, even if its event comes twice', async () => {
  const parcels: Parcel[] = [];
  const handler = createArrivals(async (parcel) => void parcels.push(parcel));

  await runRecorded(handler, [delivered, delivered]);

  const { tracking_number: trackingNumber, return_ids: returnIds } = delivered.data.object;
  deepEqual(parcels, [{ trackingNumber, returnIds }]);
});

test('a parcel on its way is not acted on', async () => {
  const parcels: Parcel[] = [];
  const handler = createArrivals(async (parcel) => void parcels.push(parcel));
  const onItsWay = structuredClone(delivered);
  onItsWay.data.object.status = 'IN_TRANSIT';

  const { done } = await runRecorded(handler, [onItsWay]);

  equal(done, 1);
  deepEqual(parcels, []);
});
