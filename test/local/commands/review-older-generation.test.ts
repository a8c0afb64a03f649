// Review: after `sources restore` the events of the earlier generation are still in the ledger and in the queues. "All
// generations of a return share a message group: while an endpoint rejects an event of an older generation, the new one's
// wait. | `redrive --skip`." (docs/guarantees.md, "Where they end")
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { markOf } from '../../../shared/deployment/destinations.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { aState } from '../../contract/sample-states.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';
import { openWebhooks, type WebhookDeployment } from './a-webhook.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const OLD = aKey(4);
const NEW = { ...OLD, generation: 'mi9zzz' };
let webhooks: WebhookDeployment;

beforeAll(async () => {
  webhooks = await openWebhooks();
  const { deployment } = webhooks;
  // The endpoint and the ordered topic reject event 2 of the old generation.
  await deployment.write(OLD, 1, 2, 3);
  const at = Date.now() * 1_000 - 5 * MINUTE;
  await deployment.marks.advance('Wms', OLD, 1);
  await deployment.marks.noteFailing('Wms', OLD, { sequence: 2, reason: 'answered 422', at });
  // As `sources restore` leaves the state: a new generation, the old one among the earlier ones.
  const mintedIn = await deployment.states.identity();
  await deployment.states.save(
    aState('acme', 2, { mintedIn, generation: NEW.generation, earlierGenerations: [OLD.generation] }),
    1,
  );
  await deployment.write(NEW, 1);
});
afterAll(() => webhooks.close());

test('redrive --skip skips the event of the older generation at which the group is stuck', async () => {
  const listed = await webhooks.run('redrive', '--to', 'Wms');
  const skipped = await webhooks.run('redrive', 'acme', '4', '--to', 'Wms', '--skip', '2');
  console.log('redrive --to Wms:', listed, '\nredrive acme 4 --to Wms --skip 2:', skipped);

  expect.soft(listed.stdout).toContain('acme 4: its sender tries again');
  expect.soft(skipped).toMatchObject({ code: 0, stdout: 'Wms: acme 4: skipped 2; its sender tries again\n' });
  expect(await webhooks.deployment.marks.load('Wms', OLD)).toBe(2);
});

test('redrive SOURCE GROUP --skip reaches an ordered event of the older generation', async () => {
  const { deployment } = webhooks;
  await deployment.put(aKey(5), anEvent(aKey(5), 1, 'x'.repeat(1_100_000)));
  await deployment.marks.noteBehind(markOf('ordered'), aKey(5), '1: too large');
  const skipped = await webhooks.run('redrive', 'acme', '5', '--to', 'ordered', '--skip', '1');
  console.log('redrive acme 5 --to ordered --skip 1:', skipped);
  expect(skipped.stdout).toContain('skipped 1');
});

test('replay reaches what the ledger holds of the earlier generation', async () => {
  const { stderr } = await webhooks.run('replay', 'acme', '--group', '4', '--to', 'Wms');
  console.log('replay acme --group 4 --to Wms:', stderr);
  expect(stderr).toContain('1 event of 1 return group');
});
