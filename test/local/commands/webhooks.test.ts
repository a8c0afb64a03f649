// `webhooks` on a deployment with real engines, as a shell sees it. The sender is the function itself.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { type EndpointState, newEndpoint } from '../../../shared/webhooks/endpoint-state.ts';
import { aKey } from '../../shared/publishing/an-event.ts';
import { openWebhooks, SECRET, type WebhookDeployment } from './a-webhook.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const ONE_LINE = /^error: [^\n]+\n$/;
const DAY_SECONDS = 86_400;

let webhooks: WebhookDeployment;

beforeAll(async () => {
  webhooks = await openWebhooks();
});
afterAll(() => webhooks.close());

const run = (...args: string[]) => webhooks.run('webhooks', ...args);
const now = () => Date.now() * 1_000;

async function note(webhook: string, changes: Partial<EndpointState>): Promise<void> {
  const { endpoints } = webhooks.deployment;
  const { version = 0 } = (await endpoints.load(webhook)) ?? {};
  await endpoints.save(webhook, { ...newEndpoint(now()), ...changes }, version);
}

describe('list', () => {
  beforeAll(async () => {
    webhooks.add('Erp', {
      url: 'https://erp.example.com/secret-path',
      filter: { entities: ['shipment'], to: ['DELIVERED'] },
    });
    webhooks.add('Zap', { url: undefined, urlSecret: 'returns-feed/zap' });
    await note('Wms', { lastAcceptedAt: now() - MINUTE });
    await note('Erp', {
      failures: 7,
      failingSince: now() - 10 * MINUTE,
      lastFailureAt: now() - SECOND,
      lastFailure: 'answered 500',
    });
  });
  afterAll(() => {
    webhooks.aws.parameters.delete('/returns-feed/webhooks/Erp');
    webhooks.aws.parameters.delete('/returns-feed/webhooks/Zap');
  });

  test('shows each webhook, the worst first, and of its URL only the host', async () => {
    const { code, stdout, stderr } = await run('list');

    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(stdout.match(/^webhook [^;]+/gm)).toEqual([
      'webhook Erp (erp.example.com)  failing',
      expect.stringMatching(/^webhook Zap {2}new$/),
      expect.stringMatching(/^webhook Wms \(\S+\) {2}all sent$/),
    ]);
    expect(stdout).toMatch(/gets +shipment; to DELIVERED/);
    expect(stdout).toMatch(/answered 500, 7 times\s+in a row,\s+since/);
    expect(stdout).not.toContain('path');
  });

  test('prints everything as JSON, without the URL', async () => {
    const { stdout } = await run('list', '--json');

    const { webhooks: listed } = JSON.parse(stdout);
    expect(listed.map(({ title }: { title: string }) => title)).toEqual([
      'webhook Erp (erp.example.com)',
      'webhook Zap',
      expect.stringMatching(/^webhook Wms/),
    ]);
    expect(listed[0]).toMatchObject({
      state: 'failing',
      needsAttention: true,
      filter: { entities: ['shipment'], to: ['DELIVERED'] },
      failures: 7,
      lastFailure: 'answered 500',
    });
    expect(stdout).not.toContain('secret-path');
  });

  test('counts the messages in the queue, visible or not', async () => {
    const { deployment, run: runCommand, receiver } = webhooks;
    await deployment.write(aKey(1), 1);
    await deployment.marks.advance('Wms', aKey(1), 0);
    await deployment.marks.noteFailing('Wms', aKey(1), { sequence: 1, reason: 'answered 500', at: now() });
    await runCommand('redrive', '--to', 'Wms');

    const { stdout } = await run('list', '--json');

    const wms = JSON.parse(stdout).webhooks.find((it: { destination: string }) => it.destination === 'Wms');
    expect(wms.waiting).toBe(1);
    await webhooks.whileSending(() => vi.waitFor(() => expect(receiver.attempts).toHaveLength(1), 30_000));
  });
});

describe('pause and resume', () => {
  test('stop and continue the sender, and report if nothing changed', async () => {
    const paused = await run('pause', 'Wms');
    const listed = await run('list');
    const again = await run('pause', 'Wms');
    const isPaused = (await webhooks.deployment.endpoints.load('Wms'))?.isPaused;
    const resumed = await run('resume', 'Wms');

    expect(paused).toEqual({ code: 0, stdout: 'paused: Wms\n', stderr: '' });
    expect(listed).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^webhook Wms \(\S+\) {2}paused;/),
    });
    expect(again.stdout).toBe('Wms is already paused: nothing changed\n');
    expect(isPaused).toBe(true);
    expect(resumed).toEqual({ code: 0, stdout: 'resumed: Wms\n', stderr: '' });
    expect((await webhooks.deployment.endpoints.load('Wms'))?.isPaused).toBe(false);
  });

  test('end a pause that the endpoint asked for', async () => {
    await note('Wms', { lastFailureAt: now(), pausedUntil: now() + 10 * MINUTE });

    const listed = await run('list');
    const resumed = await run('resume', 'Wms');
    const again = await run('resume', 'Wms');

    expect(listed.stdout).toMatch(/^webhook Wms \(\S+\) {2}delayed;.*asked for a pause\s+until/s);
    expect(resumed).toEqual({ code: 0, stdout: 'resumed: Wms\n', stderr: '' });
    expect((await webhooks.deployment.endpoints.load('Wms'))?.pausedUntil).toBe(0);
    expect(again.stdout).toBe('Wms is not paused: nothing changed\n');
  });

  test('list the existing webhooks for an unknown name', async () => {
    const ended = await run('pause', 'Wmz');

    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(ended.stderr).toContain('there are Wms');
  });

  test('name the setting that is missing', async () => {
    const ended = await webhooks.deployment.run('webhooks', 'list');

    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('WEBHOOKS_PATH') });
  });
});

describe('secret and rotate', () => {
  const { versions, changes } = {
    versions: () => webhooks.aws.versions,
    changes: () => webhooks.aws.changes,
  };
  const id = 'returns-feed/webhooks/Wms';

  beforeEach(() => {
    versions().set(id, [{ text: SECRET, createdAt: Date.now() / 1_000 }]);
    changes().length = 0;
  });

  test('stdout has the secret and nothing else', async () => {
    expect(await run('secret', 'Wms')).toEqual({ code: 0, stdout: `whsec_${SECRET}\n`, stderr: '' });
  });

  test('a new secret has the form of a generated one, and the previous one stays in force', async () => {
    const { code, stdout, stderr } = await run('rotate', 'Wms');

    const [current, previous] = versions().get(id) ?? [];
    expect(code).toBe(0);
    expect(current?.text).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(stdout).toBe(`whsec_${current?.text}\n`);
    expect(stderr).toContain('it and the previous one both sign');
    expect(previous?.text).toBe(SECRET);
  });

  test('a second rotation within 24 hours is rejected, with the time from which it is possible', async () => {
    const [hoursAgo, daysAgo] = [Date.now() / 1_000 - 3_600, Date.now() / 1_000 - 3 * DAY_SECONDS];
    const old = { text: SECRET, createdAt: daysAgo };
    versions().set(id, [{ text: SECRET.replaceAll('A', 'B'), createdAt: hoursAgo }, old]);

    const early = await run('rotate', 'Wms');
    const changedEarly = [...changes()];
    versions().set(id, [{ text: SECRET.replaceAll('A', 'B'), createdAt: daysAgo + DAY_SECONDS }, old]);
    const later = await run('rotate', 'Wms');

    expect(early).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
    expect(early.stderr).toMatch(/Rotate again after \d{4}-\d\d-\d\d \d\d:\d\dZ/);
    expect(changedEarly).toEqual([]);
    expect(later.code).toBe(0);
  });

  test('a secret that can’t sign is replaced at once, also within 24 hours of a rotation', async () => {
    const [hoursAgo, daysAgo] = [Date.now() / 1_000 - 3_600, Date.now() / 1_000 - 3 * DAY_SECONDS];
    versions().set(id, [
      { text: 'not base64!', createdAt: hoursAgo },
      { text: SECRET, createdAt: daysAgo },
    ]);

    const ended = await run('rotate', 'Wms');

    expect(ended.code).toBe(0);
    expect(ended.stdout).toBe(`whsec_${versions().get(id)?.[0]?.text}\n`);
  });

  test('a secret that can’t sign is not shown', async () => {
    versions().set(id, [{ text: '{"key":"value"}', createdAt: 0 }]);

    const ended = await run('secret', 'Wms');

    expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^error: .*JSON[^\n]*\n$/) });
  });
});

describe('test', () => {
  beforeEach(() => {
    webhooks.receiver.attempts.length = 0;
    webhooks.receiver.accepted.length = 0;
    webhooks.receiver.answer = () => 204;
    webhooks.aws.versions.set('returns-feed/webhooks/Wms', [{ text: SECRET, createdAt: 0 }]);
  });

  test('shows the answer to one signed event, also of a paused webhook', async () => {
    await run('pause', 'Wms');

    const ended = await webhooks.whileSending(() => run('test', 'Wms'));
    await run('resume', 'Wms');

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^Wms: answered 204 after \d+ ms\n$/);
    expect(webhooks.receiver.accepted).toEqual([
      expect.objectContaining({
        type: 'feed.endpoint_test',
        id: expect.stringMatching(/^test_[0-9a-z]+_feed_1$/),
        data: expect.objectContaining({ object: { type: 'endpoint_test', webhook: 'Wms' } }),
      }),
    ]);
  });

  test('a rejected test event is not repeated and does not count against the endpoint', async () => {
    webhooks.receiver.answer = () => 500;
    const before = await webhooks.deployment.endpoints.load('Wms');

    const ended = await webhooks.whileSending(async () => {
      const first = await run('test', 'Wms');
      await run('test', 'Wms');
      return first;
    });

    expect(ended).toMatchObject({ code: 3, stderr: '' });
    expect(ended.stdout).toMatch(/^Wms: answered 500 after \d+ ms: not accepted\n$/);
    expect(new Set(webhooks.receiver.attempts).size).toBe(2);
    expect(webhooks.receiver.attempts).toHaveLength(2);
    expect(await webhooks.deployment.endpoints.load('Wms')).toEqual(before);
  });
});

describe('check', () => {
  test('posts as the webhook does, with its secret and its filter', async () => {
    const { aws, receiver, add } = webhooks;
    aws.versions.set('returns-feed/webhooks/Wms', [{ text: SECRET, createdAt: 0 }]);
    add('Parcels', { filter: { entities: ['shipment'], to: ['DELIVERED'] } });
    receiver.answer = () => 204;
    receiver.accepted.length = 0;

    const ended = await run('check', receiver.url, 'Parcels');

    expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^– forgotten returns/m) });
    const types = new Set(receiver.accepted.map(({ type }) => type));
    expect(types).toEqual(new Set(['feed.endpoint_test', 'shipment.status_changed']));
  });
});
