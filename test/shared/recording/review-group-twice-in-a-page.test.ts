// Review: one page shows a return twice, the new state first and an old one behind it (a shard or replica that still
// holds the old copy). Only the last row counts, whatever the stamps say: the new state is dropped without a trace.
import { expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

it.each(['old copy first', 'new state first'])('a change is published by the next poll: %s', async (order) => {
  const world = createSourceWorld({ groups: 30, settings: { reconcileMs: 3_600_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  await world.nextTick(session);
  const id = world.someGroup();
  const old = JSON.parse(
    world.reference.service.answer({
      path: '/v2/return-groups',
      query: new URLSearchParams({ return_group_id: String(id) }),
      token: world.reference.token,
    }).body,
  )[0];
  world.setShipment(id, 'FAILED');
  let left = 30;
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200 || request.query.has('return_group_id')) return answer;
    // The old copy is there for less than `settle`.
    const rows = JSON.parse(answer.body) as { id: number }[];
    const at = rows.findIndex((row) => row.id === id);
    if (at === -1 || left <= 0) return answer;
    left -= 1;
    rows.splice(order === 'old copy first' ? at : at + 1, 0, old);
    return { ...answer, body: JSON.stringify(rows) };
  };
  await world.nextTick(session, 20_000);
  const state = await world.state();
  const types = (await world.groupEvents(id)).map(({ type }) => type);
  console.log(order, types, { left, isComplete: state.health.lastSettledAt / 1_000 === state.lastSlot });
  expect(types).toContain('shipment.status_changed');
});
