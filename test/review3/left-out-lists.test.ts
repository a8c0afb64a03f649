// Lists of an entity that an answer leaves out: the entity was not changed, and two events say that it was.
import { expect, it } from 'vitest';
import { createSourceWorld } from '../shared/source-world.ts';

interface Row {
  readonly id: number;
  readonly returns: object[];
  readonly shipments: object[];
}

it.each([
  ['platform_refund_transaction_ids', (row: Row) => row.returns],
  ['return_ids', (row: Row) => row.shipments],
])('an answer that leaves out %s makes no event', async (list, entitiesOf) => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
  const group = world.someGroup();
  world.control.mutate(group, (draft) => {
    for (const item of draft.returns) item.platform_refund_transaction_ids = ['77'];
  });
  const session = world.startProcess('a');
  for (let minute = 0; minute < 6; minute += 1) await world.nextTick(session);
  const before = (await world.groupEvents(group)).length;

  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    const rows = JSON.parse(answer.body) as Row[];
    for (const row of rows) {
      if (row.id === group) for (const entity of entitiesOf(row)) Reflect.deleteProperty(entity, list);
    }
    return { ...answer, body: JSON.stringify(rows) };
  };
  for (let minute = 0; minute < 4; minute += 1) await world.nextTick(session);
  world.network.intercept = undefined;
  for (let minute = 0; minute < 6; minute += 1) await world.nextTick(session);

  const events = (await world.groupEvents(group)).slice(before);
  expect(events.map(({ type }) => type)).toEqual([]);
});
