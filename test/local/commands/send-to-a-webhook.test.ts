// `redrive` and `replay` to a webhook, and how `status` and `explain` show webhooks, on real engines, as a shell sees
// it.
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRingQueue } from '../../../functions/adapters/ring-queue.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { newEndpoint } from '../../../shared/webhooks/endpoint-state.ts';
import { aSave } from '../../contract/sample-saves.ts';
import { drain } from '../../contract/topic-clients.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';
import { FEED } from '../../shared/publishing/setting.ts';
import { openWebhooks, type WebhookDeployment } from './a-webhook.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ONE_LINE = /^error: [^\n]+\n$/;

let webhooks: WebhookDeployment;

beforeAll(async () => {
  webhooks = await openWebhooks();
});
afterAll(() => webhooks.close());
beforeEach(async () => {
  webhooks.receiver.attempts.length = 0;
  webhooks.receiver.accepted.length = 0;
  await drain(webhooks.sqs, webhooks.record.queueUrl);
});

const run = (...args: string[]) => webhooks.run(...args);
const now = () => Date.now() * 1_000;

/** Writes events of a group, of which the webhook accepted those before `failing`. */
async function writeFailing(group: number, failing: number, through: number): Promise<void> {
  const { deployment } = webhooks;
  const numbers = Array.from({ length: through }, (_, index) => index + 1);
  await deployment.write(aKey(group), ...numbers);
  await deployment.marks.advance('Wms', aKey(group), failing - 1);
  const at = now() - 5 * MINUTE;
  await deployment.marks.noteFailing('Wms', aKey(group), { sequence: failing, reason: 'answered 422', at });
}

describe('redrive', () => {
  test('rings for the groups that fail; the sender sends them in order', async () => {
    await writeFailing(1, 2, 3);
    await writeFailing(2, 1, 1);

    const { code, stdout, stderr } = await run('redrive', 'acme', '--to', 'Wms');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').sort()).toEqual([
      '',
      'Wms: acme 1: its sender tries again',
      'Wms: acme 2: its sender tries again',
    ]);
    await webhooks.whileSending(() =>
      vi.waitFor(() => expect(webhooks.receiver.accepted).toHaveLength(3), 30_000),
    );
    const ids = webhooks.receiver.attempts;
    expect(ids.filter((id) => id.includes('_1_'))).toEqual(['acme_mi8x2k_1_2', 'acme_mi8x2k_1_3']);
    expect(await run('redrive', '--to', 'Wms')).toMatchObject({ code: 0, stdout: 'nothing is behind\n' });
  });

  test('reaches a group with a message that is hidden in the queue', async () => {
    await writeFailing(3, 1, 1);
    const { deployment, receiver, sqs: client, record } = webhooks;
    await createRingQueue({ client, queueUrl: record.queueUrl }).ring(aKey(3), 1, now());
    // A receiver of one message of a FIFO queue blocks the whole message group.
    const held = await takeOne();

    await run('redrive', 'acme', '3', '--to', 'Wms');

    expect(held).toBe(1);
    await webhooks.whileSending(() => vi.waitFor(() => expect(receiver.accepted).toHaveLength(1), 10_000));
    expect(await deployment.marks.load('Wms', aKey(3))).toBe(1);
  });

  test('skips the named event if the group is stuck at it, and publishes the skip', async () => {
    await writeFailing(4, 2, 3);

    const wrong = await run('redrive', 'acme', '4', '--to', 'Wms', '--skip', '3', '--yes');
    const skipped = await run('redrive', 'acme', '4', '--to', 'Wms', '--skip', '2', '--yes');
    const again = await run('redrive', 'acme', '4', '--to', 'Wms', '--skip', '2', '--yes');

    expect(wrong).toMatchObject({
      code: 3,
      stdout: 'Wms: acme 4: nothing is skipped: it is stuck at 2, not at 3\n',
    });
    expect(skipped).toMatchObject({ code: 0, stdout: 'Wms: acme 4: skipped 2; its sender tries again\n' });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('no event of it is noted') });
    const [reported] = await webhooks.deployment.ledger.read(FEED, 0, 10);
    expect(reported).toMatchObject({
      event: { data: { object: { destination: 'Wms', from_sequence: 2, to_sequence: 2 } } },
    });
    await webhooks.whileSending(() =>
      vi.waitFor(() => expect(webhooks.receiver.attempts).toEqual(['acme_mi8x2k_4_3']), 30_000),
    );
  });

  test('an unknown destination lists the known ones', async () => {
    const ended = await run('redrive', '--to', 'Wmz');

    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(ended.stderr).toContain('there are ordered, bus, Wms');
  });
});

/** Takes one message and keeps it. @returns how many there were */
/** It waits, because a message of a stopped sender's last poll comes back after the queue's visibility timeout. */
async function takeOne(): Promise<number> {
  const command = new ReceiveMessageCommand({ QueueUrl: webhooks.record.queueUrl, WaitTimeSeconds: 20 });
  for (let tries = 1; ; tries += 1) {
    const { Messages = [] } = await webhooks.sqs.send(command);
    if (Messages.length > 0 || tries === 3) return Messages.length;
  }
}

describe('replay', () => {
  beforeAll(async () => {
    const { deployment } = webhooks;
    await deployment.write(aKey(11), 1, 2, 3);
    await deployment.marks.advance('Wms', aKey(11), 2);
  });

  test('posts the sent events again, under the same ids', async () => {
    const { code, stdout, stderr } = await run('replay', 'acme', '--group', '11', '--to', 'Wms');

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('replay: 2 events of 1 return group to the webhook Wms');
    expect(stderr).toContain("left to the webhook's sender: 1 event not sent yet");
    expect(stderr).toContain('replay: 2 of 2 events sent');
    expect(webhooks.receiver.attempts).toEqual(['acme_mi8x2k_11_1', 'acme_mi8x2k_11_2']);
    expect(webhooks.receiver.accepted).toEqual([anEvent(aKey(11), 1), anEvent(aKey(11), 2)]);
  });

  test('with --again, events have new ids and are marked as replayed', async () => {
    const args = ['--group', '11', '--to', 'Wms', '--again', '--replay-id', 'r1'];

    const { code } = await run('replay', 'acme', ...args);

    expect(code).toBe(0);
    expect(webhooks.receiver.attempts).toEqual(['acme_mi8x2k_11_1_r1', 'acme_mi8x2k_11_2_r1']);
    expect(webhooks.receiver.accepted[0]).toEqual({ ...anEvent(aKey(11), 1), replayid: 'r1' });
  });

  test('posts only events that match the filter', async () => {
    webhooks.add('Lost', { filter: { to: ['DELIVERED'], entities: ['shipment'] } });
    webhooks.add('None', { filter: { types: ['return_group.created'] } });
    for (const id of ['Lost', 'None']) await webhooks.deployment.marks.advance(id, aKey(11), 3);

    const some = await run('replay', 'acme', '--group', '11', '--to', 'Lost');
    const none = await run('replay', 'acme', '--group', '11', '--to', 'None');
    for (const id of ['Lost', 'None']) webhooks.aws.parameters.delete(`/returns-feed/webhooks/${id}`);

    expect(some.stderr).toContain('replay: 3 of 3 events sent');
    expect(none).toMatchObject({ code: 0, stderr: 'there is nothing to replay\n' });
  });

  test('keeps to the maximum rate of the webhook', async () => {
    webhooks.add('Slow', { maxPerSecond: 2 });
    for (const group of [21, 22, 23, 24, 25]) {
      await webhooks.deployment.write(aKey(group), 1);
      await webhooks.deployment.marks.advance('Slow', aKey(group), 1);
    }
    const arrivals: number[] = [];
    webhooks.receiver.answer = () => {
      arrivals.push(performance.now());
      return 204;
    };

    const { code } = await run('replay', 'acme', '--to', 'Slow');
    webhooks.receiver.answer = () => 204;
    webhooks.aws.parameters.delete('/returns-feed/webhooks/Slow');

    expect(code).toBe(0);
    expect(arrivals).toHaveLength(5);
    // Two seconds between the posts. The first arrival may be late on a busy machine.
    expect(arrivals[4]! - arrivals[0]!).toBeGreaterThan(1_000);
  });

  test('stops a group at an event that the endpoint rejects', async () => {
    webhooks.receiver.answer = ({ data }) => (data.sequence === 2 ? 422 : 204);

    const { code, stderr } = await run('replay', 'acme', '--group', '11', '--to', 'Wms');
    webhooks.receiver.answer = () => 204;

    expect(code).toBe(3);
    expect(stderr).toContain('not all events of return group 11 sent: answered 422');
    expect(webhooks.receiver.accepted).toHaveLength(1);
  });

  test('stops if the endpoint asks for a pause, and reports what is left', async () => {
    await webhooks.deployment.write(aKey(12), 1, 2);
    await webhooks.deployment.marks.advance('Wms', aKey(12), 2);
    webhooks.receiver.answer = ({ data }) => (data.sequence === 2 ? 429 : 204);

    const { code, stderr } = await run('replay', 'acme', '--group', '11', '--group', '12', '--to', 'Wms');
    webhooks.receiver.answer = () => 204;

    expect(code).toBe(1);
    expect(stderr).toContain(
      'Stopped: the endpoint answered 429, which asks for a pause. 2 of 4 events sent, 2 left.',
    );
    expect(webhooks.receiver.attempts).toHaveLength(4);
  });

  test('posts nothing to a webhook that an operator paused', async () => {
    await run('webhooks', 'pause', 'Wms');

    const ended = await run('replay', 'acme', '--group', '11', '--to', 'Wms');
    await run('webhooks', 'resume', 'Wms');

    expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(ended.stderr).toContain(
      'The webhook Wms is paused. Run "npx --no returns-feed webhooks resume Wms" first.',
    );
    expect(webhooks.receiver.attempts).toEqual([]);
  });

  test('posts nothing to a webhook whose endpoint asked for a pause', async () => {
    const { endpoints } = webhooks.deployment;
    const { version, ...state } = (await endpoints.load('Wms')) ?? newEndpoint(now());
    await endpoints.save('Wms', { ...state, version, pausedUntil: now() + MINUTE }, version);

    const ended = await run('replay', 'acme', '--group', '11', '--to', 'Wms');
    await run('webhooks', 'resume', 'Wms');

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/asked for a pause until \d{4}-\S+Z\. Wait for that, or run .* first\./);
    expect(webhooks.receiver.attempts).toEqual([]);
  });

  test('a replay id needs --again', async () => {
    const ended = await run('replay', 'acme', '--to', 'Wms', '--replay-id', 'r1');

    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(ended.stderr).toContain('--again');
  });
});

describe('a webhook of whole returns', () => {
  let whole: WebhookDeployment;
  beforeAll(async () => {
    whole = await openWebhooks({ shape: 'return' });
  });
  afterAll(() => whole.close());

  test('gets the present state from its sender, once', async () => {
    const { deployment, receiver, record, sqs: client } = whole;
    await deployment.snapshots.save(aKey(31), aSave(aKey(31), undefined, 3));
    const queue = createRingQueue({ client, queueUrl: record.queueUrl });
    for (const sequence of [1, 2, 3]) await queue.ring(aKey(31), sequence, now());

    await whole.whileSending(() =>
      vi.waitFor(async () => expect(await deployment.marks.load('Wms', aKey(31))).toBe(3), 30_000),
    );

    expect(receiver.attempts).toEqual(['acme_mi8x2k_31_r3']);
    expect(receiver.accepted).toMatchObject([
      { type: 'return.changed', data: { sequence: 3, return: { return_group: { id: 31 }, sequence: 3 } } },
    ]);
  });

  test('is shown as one', async () => {
    const listed = await whole.run('webhooks', 'list');
    const status = await whole.run('status');
    const { destinations } = JSON.parse((await whole.run('status', '--json')).stdout);

    expect(listed.stdout).toMatch(/\n +gets +whole returns, at all changes\n/);
    expect(status.stdout).toMatch(/\nwebhook Wms \([^\n]* {2}[a-z ]+; whole returns; /);
    expect(destinations).toContainEqual(expect.objectContaining({ destination: 'Wms', shape: 'return' }));
  });

  test('gets no replay of events', async () => {
    const ended = await whole.run('replay', 'acme', '--to', 'Wms');

    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(ended.stderr).toContain('gets whole returns, not events');
  });
});

describe('status and explain', () => {
  beforeAll(async () => {
    const { endpoints } = webhooks.deployment;
    const { version = 0 } = (await endpoints.load('Wms')) ?? {};
    const failures = {
      failures: 6,
      failingSince: now() - MINUTE,
      lastFailureAt: now(),
      lastFailure: 'timeout',
    };
    await endpoints.save('Wms', { ...newEndpoint(now()), ...failures }, version);
    await writeFailing(21, 2, 2);
    webhooks.add('Erp');
  });

  test('status has a line for each webhook, and JSON has all of it', async () => {
    const { stdout, stderr } = await run('status');
    const { verdict, concerns, destinations } = JSON.parse((await run('status', '--json')).stdout);

    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /\n\nwebhook Wms \([^\n]* {2}failing; [^\n]*; last accepted never; timeout, 6 times in a row, since/,
    );
    expect(stdout).toMatch(/\nwebhook Erp[^\n]* {2}(?:new|sending);/);
    expect(verdict).toBe('attention');
    expect(concerns).toContainEqual(expect.objectContaining({ code: 'receiver_failing' }));
    expect(destinations).toContainEqual(expect.objectContaining({ destination: 'Wms', state: 'failing' }));
    // A ring may have reached it.
    expect(destinations).toContainEqual(
      expect.objectContaining({ destination: 'Erp', state: expect.stringMatching(/^(?:new|sending)$/) }),
    );
  });

  test('status without the right to list webhooks still shows the sources', async () => {
    const { aws, deployment } = webhooks;
    const environment = {
      ...deployment.environment,
      WEBHOOKS_PATH: '/x',
      AWS_ENDPOINT_URL_SSM: `${aws.url}/no`,
    };
    aws.parameters.set('/x/Odd', { Name: '/x/Odd', Value: '{}' });

    const { stdout, stderr } = await deployment.runWith(environment, 'status');
    aws.parameters.delete('/x/Odd');

    expect(stdout).toContain('acme');
    expect(stderr).toMatch(/^The webhooks can't be shown: The parameter \/x\/Odd does not describe/m);
  });

  test('explain shows the last accepted event of each webhook, and since when its next event fails', async () => {
    const { stdout, stderr } = await run('explain', 'acme', '21');

    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /webhook +Wms: sent through 1; behind at 2: answered 422,\s+failing\s+since\s+[\d-]+\s+[\d:]+ \(/,
    );
    expect(stdout).toMatch(/webhook +Erp: nothing sent\n/);
    expect(stdout).toMatch(/\n +2 .*\[not sent: ordered, bus, Wms\]/);
  });
});
