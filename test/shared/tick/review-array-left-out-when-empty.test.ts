// Review: a service that leaves out arrays that are empty (its samples leave out required fields; "a tolerant client
// accepts absence"). When the last shipment of a return goes, its array goes with it.
import { expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

const ARRAYS = ['shipments', 'returns', 'exchange_line_items', 'refund_transactions'];

function leavingOutEmptyArrays(world: ReturnType<typeof createSourceWorld>) {
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200) return answer;
    const rows = JSON.parse(answer.body) as Record<string, unknown[]>[];
    for (const row of rows) for (const name of ARRAYS) if (row[name]?.length === 0) delete row[name];
    return { ...answer, body: JSON.stringify(rows) };
  };
}

it.each([
  ['[]', false],
  ['left out', true],
])('the removal of the last shipment is published, where empty arrays are %s', async (_, leavesOut) => {
  const world = createSourceWorld({ groups: 30, settings: { reconcileMs: 120_000 } });
  if (leavesOut) leavingOutEmptyArrays(world);
  const session = world.startProcess('a');
  await world.tick(session);
  const group = world.control.snapshot().find(({ shipments }) => shipments.length === 1);
  const id = Number(group?.id);
  world.control.mutate(id, (draft) => {
    draft.shipments = [];
    for (const item of draft.returns) item.shipment_id = null;
  });
  for (let tick = 0; tick < 60; tick += 1) await world.nextTick(session);

  const types = (await world.groupEvents(id)).map(({ type }) => type);
  const health = (await world.feedEvents()).map(({ type }) => type);
  console.log(_, types, health);
  expect(types).toContain('shipment.removed');
});
