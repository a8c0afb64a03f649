// G5: a walk counts as having read a field only from `settle` after it was first seen, because an answer may be `settle`
// older than its request. A snapshot counts as made with the field from the moment it was first seen: made of a stale
// answer a moment later, which shows the group as it was before the field was sent, it seems to know that the field was
// null. The field's first value is then told as a change that nobody made.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../local/reference-service/service/answer.ts';
import { createSourceWorld } from '../shared/source-world.ts';

interface Row {
  readonly id: number;
  readonly shipments: { carrier?: unknown }[];
}

it('tells no change of a field that a stale answer did not have yet', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 600_000 } });
  const session = world.startProcess('a');
  const group = world.someGroup();
  let leavesOutCarriers = true;
  let stale: { readonly rows: readonly Row[]; readonly until: number } | undefined;
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200) return undefined;
    const rows: Row[] = JSON.parse(answer.body);
    const isStale = stale !== undefined && world.time.now() < stale.until;
    for (const row of rows) {
      if (leavesOutCarriers || (isStale && row.id === group))
        for (const shipment of row.shipments) delete shipment.carrier;
    }
    return jsonAnswer(200, rows);
  };
  world.control.mutate(group, (draft) => {
    for (const shipment of draft.shipments) shipment.carrier = 'DHL';
  });
  await world.time.advance(3_600_000_000);
  for (let minute = 0; minute < 15; minute += 1) await world.nextTick(session);

  const before = (await world.groupEvents(group)).length;
  // The group changes; a moment later the service begins to send carriers; a replica that is ten seconds behind still
  // shows the group as it was between the two.
  world.setShipment(group, 'FAILED');
  await world.time.advance(5_000_000);
  leavesOutCarriers = false;
  world.control.mutate(world.newest, (draft) => {
    for (const shipment of draft.shipments) shipment.carrier = 'UPS';
  });
  const others = world.control
    .snapshot()
    .filter(({ id, shipments }) => Number(id) !== group && shipments.length > 0);
  const other = Number(others[0]?.id);
  world.control.mutate(other, (draft) => {
    for (const shipment of draft.shipments) shipment.carrier = 'UPS';
  });
  stale = { rows: [], until: world.time.now() + 10_000_000 };
  await world.time.advance(1_000_000);
  await world.tick(session, { durationMs: 8_000 });
  const { fieldsSince } = await world.state();
  for (let minute = 0; minute < 30; minute += 1) await world.nextTick(session);

  expect(fieldsSince).toHaveProperty(['shipment.carrier']);
  const told = (await world.groupEvents(group))
    .slice(before)
    .map(({ type, data }) => [
      type,
      'previous_attributes' in data ? Object.keys(data.previous_attributes) : [],
    ]);
  expect(told).toEqual([['shipment.status_changed', ['status']]]);
});
