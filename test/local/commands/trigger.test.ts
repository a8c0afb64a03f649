// `trigger` as a shell sees it: with a receiver that verifies signatures, and a reference service.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { MESSAGE_SCHEMAS, type ReturnChanged } from '../../../shared/contract/return-message.ts';
import { runFeed } from '../cli/run-feed.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../feed/webhook-receiver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const SECRET = `whsec_${'A'.repeat(43)}=`;
const ONE_LINE = /^error: [^\n]+\n$/;

let receiver: WebhookReceiver;
let service: ReferenceService;
let folder: string;

beforeAll(async () => {
  receiver = await startWebhookReceiver(SECRET);
  service = await createReferenceService({ groups: 20, token: 'a-token', life: false });
  folder = await mkdtemp(join(tmpdir(), 'trigger-'));
  await writeFile(join(folder, 'secret.txt'), `${SECRET}\n`);
});
afterAll(async () => {
  await Promise.all([receiver.close(), service.close(), rm(folder, { recursive: true })]);
});
beforeEach(() => {
  receiver.accepted.length = 0;
  receiver.attempts.length = 0;
  receiver.answer = () => 204;
});

/** With a directory of its own for notes, so that other `npm start` runs of this user have no effect. */
const run = (...args: string[]) => runFeed(['trigger', ...args], { environment: { TMPDIR: folder } });
const to = () => ['--forward-to', receiver.url, '--forward-secret', join(folder, 'secret.txt')];

test('lists every type of event, and whole returns', async () => {
  const { code, stdout } = await run();

  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toEqual(Object.keys(MESSAGE_SCHEMAS).sort());
});

describe('of a type', () => {
  test('posts a signed event under an id of its own each time', async () => {
    const { code, stdout, stderr } = await run('shipment.status_changed', ...to());
    await run('shipment.status_changed', ...to());

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^127\.0\.0\.1:\d+: answered 204 after \d+ ms {2}shipment\.status_changed acme_/);
    expect(new Set(receiver.attempts).size).toBe(2);
    const [event] = receiver.accepted;
    expect(event).toMatchObject({ type: 'shipment.status_changed', id: receiver.attempts[0] });
    expect(event?.id).toContain(`_${event?.data.generation}_`);
  });

  test('posts a whole return of which all parts are of the new generation', async () => {
    await run('return.changed', ...to());

    const { id, data } = receiver.accepted.at(-1) as unknown as ReturnChanged;
    expect(id).toBe(`acme_${data.generation}_${data.return_group.id}_r${data.sequence}`);
    expect(data.return?.generation).toBe(data.generation);
    expect(data.changes.at(-1)?.id).toContain(`_${data.generation}_`);
    expect(Number.parseInt(data.generation, 36)).toBeGreaterThan(Date.now() - 60_000);
  });

  test('fails if the receiver rejects it, or has another secret', async () => {
    receiver.answer = () => 500;
    const refused = await run('return_group.created', ...to());
    const unknown = await run('return_group.created', '--forward-to', receiver.url);

    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('answered 500') });
    expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining('answered 401') });
    expect(unknown.stderr).toBe('signed with a new secret, which the receiver does not know\n');
  });
});

describe('of an entity', () => {
  test('changes the status of an entity of the service on this machine', async () => {
    const note = { url: service.url, pid: process.pid };
    await writeFile(join(folder, `returns-feed-start-${userInfo().username}.json`), JSON.stringify(note));

    const { code, stdout, stderr } = await run('shipment', 'LOST_AT_SEA');

    const [, group, id] = /^return group (\d+), shipment (\d+): \S+ → LOST_AT_SEA\n$/.exec(stdout) ?? [];
    const changed = service.control.snapshot().find((it) => it.id === Number(group));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(changed?.shipments).toContainEqual(
      expect.objectContaining({ id: Number(id), status: 'LOST_AT_SEA' }),
    );
    expect(service.control.history().at(-1)?.groupId).toBe(Number(group));
  });

  test('reaches the service that --service names, and sets the time of a delivery', async () => {
    for (const { id, shipments } of service.control.snapshot())
      service.control.mutate(Number(id), (draft) => {
        for (const index of shipments.keys())
          Object.assign(draft.shipments[index] ?? {}, { status: 'IN_TRANSIT', delivered_at: null });
      });

    const { code, stdout } = await run('shipment', 'DELIVERED', '--service', service.url);

    const [, id] = /^return group \d+, shipment (\d+): IN_TRANSIT → DELIVERED\n$/.exec(stdout) ?? [];
    const delivered = service.control
      .snapshot()
      .flatMap(({ shipments }) => shipments)
      .filter(({ status }) => status === 'DELIVERED');
    expect(code).toBe(0);
    expect(delivered).toEqual([
      expect.objectContaining({ id: Number(id), delivered_at: expect.any(String) }),
    ]);
  });
});

test.each([
  ['an unknown type', ['shipment.lost', '--forward-to', 'http://127.0.0.1:1']],
  ['a type without a URL', ['shipment.created']],
  ['an entity without a status', ['return_group', 'OPEN']],
  ['a kind without the new status', ['shipment']],
  ['a typo of a status', ['shipment', 'DELIVRED', '--service', 'http://127.0.0.1:1/api']],
  ['a service that is no URL', ['shipment', 'DELIVERED', '--service', 'x']],
])('reports %s in one line', async (_, args) => {
  expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(ONE_LINE) });
});

test.each(['{"a":1}', '<html>'])(
  'names a server that is no reference service: it answers %s',
  async (body) => {
    const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const ended = await run('shipment', 'DELIVERED', '--service', `http://127.0.0.1:${port}/api`);

    server.close();
    expect(ended).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: `error: The server at http://127.0.0.1:${port} is no reference service. Start one with "npm start".\n`,
    });
  },
);

test('fails if no service answers', async () => {
  const ended = await run('shipment', 'DELIVERED', '--service', 'http://127.0.0.1:1/api');

  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Start one with "npm start"'),
  });
});
