import { expect, it } from 'vitest';
import { createSourceWorld } from '../shared/source-world.ts';
import { alterRows, ticks } from './world.ts';

const OFTEN = { reconcileMs: 120_000 };
const money = { shop_money: { amount: 10, currency_code: 'EUR' }, presentment_money: { amount: 10, currency_code: 'EUR' } };

function worldWithRefund() {
  const world = createSourceWorld({ settings: OFTEN });
  const group = world.someGroup();
  const all = () => alterRows(world, (row) => {
    row.refund_transactions = row.id === group ? [{ type: 'refund_transaction', ...shown }] : [];
  });
  let shown: object = { amount: money };
  return { world, group, show(next: object) { shown = next; all(); } };
}

it.each([
  ['a service begins to send the gateway', { amount: money }, { amount: money, gateway: 'cards' }],
  ['it gets id and gateway at once', { amount: money }, { amount: money, gateway: 'cards', platform_id: 'r1' }],
  ['one answer leaves out the gateway', { amount: money, gateway: 'cards' }, { amount: money }],
  ['an answer leaves out the amount in the second currency', { amount: money }, { amount: { shop_money: money.shop_money } }],
])('a refund is not created anew where %s', async (_, before, after) => {
  const { world, group, show } = worldWithRefund();
  show(before);
  const session = world.startProcess('a');
  await world.tick(session);
  await ticks(world, session, 5);
  show(after);
  await ticks(world, session, 10);
  show(before);
  await ticks(world, session, 10);

  const events = await world.groupEvents(group);
  expect(events.map(({ id, type, subject }) => [id, type, subject])).toEqual([]);
});
