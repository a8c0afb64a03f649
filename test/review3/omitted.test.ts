import { expect, it } from 'vitest';
import { createSourceWorld } from '../shared/source-world.ts';
import { alterRows, ticks } from './world.ts';

const OFTEN = { reconcileMs: 120_000 };

it.each([
  ['quantity', (row: any) => { for (const item of row.returns) delete item.quantity; }],
  ['platform_refund_transaction_ids', (row: any) => { for (const item of row.returns) delete item.platform_refund_transaction_ids; }],
  ['return_ids', (row: any) => { for (const item of row.shipments) delete item.return_ids; }],
  ['return_method', (row: any) => { delete row.return_method; }],
])('an answer that leaves out %s makes no event', async (_, omit) => {
  const world = createSourceWorld({ settings: OFTEN });
  const group = Number(world.control.snapshot().find(({ shipments, returns }) => shipments.length > 0 && returns.length > 0)?.id);
  world.control.mutate(group, (draft) => { for (const item of draft.returns) item.platform_refund_transaction_ids = ['77']; });
  await world.time.advance(3_600_000_000);
  const session = world.startProcess('a');
  await world.tick(session);
  await ticks(world, session, 5);
  const before = (await world.groupEvents(group)).length;
  alterRows(world, (row) => { if (row.id === group) omit(row); });
  await ticks(world, session, 4);
  world.network.intercept = undefined;
  await ticks(world, session, 6);

  const events = (await world.groupEvents(group)).slice(before);
  expect(events.map((e: any) => [e.id, e.type, e.data.previous_attributes])).toEqual([]);
});
