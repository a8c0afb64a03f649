// `redrive` and `replay` after `sources restore`: the events of the earlier generation are still in the ledger and in
// the queues, and those of the new one wait behind them.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { markOf } from '../../../shared/deployment/destinations.ts';
import { MINUTE } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { aState } from '../../contract/sample-states.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';
import { openWebhooks, type WebhookDeployment } from './a-webhook.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const EARLIER = aKey(1).generation;
const PRESENT = 'mi9zzz';
let webhooks: WebhookDeployment;

beforeAll(async () => {
  webhooks = await openWebhooks();
  const { states } = webhooks.deployment;
  const mintedIn = await states.identity();
  const renewed = aState('acme', 2, { mintedIn, generation: PRESENT, earlierGenerations: [EARLIER] });
  await states.save(renewed, 1);
});
afterAll(() => webhooks.close());

/** Writes three events of a group, of which the webhook rejects the second. */
async function writeFailing(key: GroupKey): Promise<void> {
  const { deployment } = webhooks;
  await deployment.write(key, 1, 2, 3);
  await deployment.marks.advance('Wms', key, 1);
  const at = Date.now() * 1_000 - 5 * MINUTE;
  await deployment.marks.noteFailing('Wms', key, { sequence: 2, reason: 'answered 422', at });
}

describe('redrive', () => {
  test('skips the event of the earlier generation at which a webhook’s return is stuck', async () => {
    const [earlier, present] = [aKey(1), { ...aKey(1), generation: PRESENT }];
    await writeFailing(earlier);
    await webhooks.deployment.write(present, 1);

    const listed = await webhooks.run('redrive', '--to', 'Wms');
    const skipped = await webhooks.run('redrive', 'acme', '1', '--to', 'Wms', '--skip', '2', '--yes');

    expect(listed.stdout).toBe(`Wms: acme 1 (generation ${EARLIER}): its sender tries again\n`);
    expect(skipped).toMatchObject({
      code: 0,
      stdout: `Wms: acme 1 (generation ${EARLIER}): skipped 2; its sender tries again\n`,
    });
    const marks = [earlier, present].map((key) => webhooks.deployment.marks.load('Wms', key));
    expect(await Promise.all(marks)).toEqual([2, undefined]);
  });

  test('skips an event of the earlier generation that the ordered topic rejects', async () => {
    const { deployment } = webhooks;
    await deployment.put(aKey(2), anEvent(aKey(2), 1, 'x'.repeat(1_100_000)));
    await deployment.marks.noteBehind(markOf('ordered'), aKey(2), { sequence: 1, reason: 'too large' });

    const { stdout } = await webhooks.run('redrive', 'acme', '2', '--to', 'ordered', '--skip', '1', '--yes');

    expect(stdout).toBe(`ordered: acme 2 (generation ${EARLIER}): skipped 1; all events are sent\n`);
    expect(await deployment.marks.load(markOf('ordered'), aKey(2))).toBe(1);
  });

  test('tries a named group in the present generation too', async () => {
    await writeFailing(aKey(3));

    const { stdout } = await webhooks.run('redrive', 'acme', '3', '--to', 'Wms');

    expect(stdout.split('\n')).toEqual([
      `Wms: acme 3 (generation ${EARLIER}): its sender tries again`,
      'Wms: acme 3: its sender tries again',
      '',
    ]);
  });

  test('skips nothing if two generations are stuck at the number, until one is named', async () => {
    const [earlier, present] = [aKey(4), { ...aKey(4), generation: PRESENT }];
    await writeFailing(earlier);
    await writeFailing(present);
    const skip = ['redrive', 'acme', '4', '--to', 'Wms', '--skip', '2', '--yes'];

    const both = await webhooks.run(...skip);
    const unknown = await webhooks.run(...skip, '--generation', 'mi7');
    const named = await webhooks.run(...skip, '--generation', PRESENT);

    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain(`--generation ${EARLIER} or ${PRESENT}`);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain(`there are ${EARLIER}, ${PRESENT}`);
    expect(named).toMatchObject({ code: 0, stdout: 'Wms: acme 4: skipped 2; its sender tries again\n' });
    const marks = [earlier, present].map((key) => webhooks.deployment.marks.load('Wms', key));
    expect(await Promise.all(marks)).toEqual([1, 2]);
  });

  test('--generation needs a group', async () => {
    const ended = await webhooks.run('redrive', 'acme', '--generation', EARLIER);

    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('--generation needs a group');
  });
});

describe('replay', () => {
  test('sends what the ledger holds of the earlier generation, before the present one', async () => {
    const { deployment, receiver } = webhooks;
    const [earlier, present] = [aKey(11), { ...aKey(11), generation: PRESENT }];
    for (const key of [present, earlier]) {
      await deployment.write(key, 1, 2);
      await deployment.marks.advance('Wms', key, 2);
    }

    const { code, stderr } = await webhooks.run('replay', 'acme', '--group', '11', '--to', 'Wms');

    expect(code).toBe(0);
    expect(stderr).toContain('replay: 4 events of 1 return group to the webhook Wms');
    expect(receiver.attempts).toEqual([
      `acme_${EARLIER}_11_1`,
      `acme_${EARLIER}_11_2`,
      `acme_${PRESENT}_11_1`,
      `acme_${PRESENT}_11_2`,
    ]);
  });
});
