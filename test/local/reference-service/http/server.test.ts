import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  createReferenceService,
  type ReferenceService,
  type ReferenceServiceOptions,
} from '../../../../local/reference-service/create-reference-service.ts';
import { DOCUMENTED_RESOURCES } from '../../../../shared/returns-service/documented-resources.ts';
import { type Row, STARTED_AT } from '../a-service.ts';
import { createVirtualClock } from '../virtual-service-clock.ts';

const started: ReferenceService[] = [];

async function start(options: ReferenceServiceOptions = {}): Promise<ReferenceService> {
  const server = await createReferenceService({
    groups: 40,
    life: false,
    clock: createVirtualClock(STARTED_AT),
    ...options,
  });
  started.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

function get(
  server: ReferenceService,
  path: string,
  token = server.token,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    headers: { 'X-Service-Api-Token': token },
    ...(signal && { signal }),
  });
}

function control(server: ReferenceService, verb: string, body?: unknown): Promise<Response> {
  const url = new URL(`/_control/${verb}`, server.url);
  if (body === undefined) return fetch(url);
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
}

describe('the service over HTTP', () => {
  it('serves groups that conform to the document', async () => {
    const server = await start();

    const answer = await get(server, '/v2/return-groups?limit=30');

    const groups = z.array(DOCUMENTED_RESOURCES.ReturnGroup).parse(await answer.json());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('date')).toBe('Fri, 20 Nov 2026 10:00:00 GMT');
    expect(groups).toHaveLength(30);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
  });

  it('accepts the configured token, and no other path, method or token', async () => {
    const server = await start({ token: 's3cret' });

    const statuses = await Promise.all([
      get(server, '/v2/return-groups').then((answer) => answer.status),
      get(server, '/v2/return-groups', 'reference-token').then((answer) => answer.status),
      fetch(`${server.url}/v2/return-groups`).then((answer) => answer.status),
      get(server, '/v2/nothing').then((answer) => answer.status),
      fetch(new URL('/v2/return-groups', server.url)).then((answer) => answer.status),
      fetch(`${server.url}/v2/return-groups`, { method: 'POST' }).then((answer) => answer.status),
    ]);

    expect(statuses).toEqual([200, 401, 401, 404, 404, 405]);
  });

  it("answers a wrong parameter with the document's 422, and decodes an encoded plus", async () => {
    const server = await start();
    const stamp = encodeURIComponent('2026-11-20T12:00:00+02:00');

    const wrong = await get(server, '/v2/return-groups?limit=many');
    const right = await get(server, `/v2/return-groups?max_created_at=${stamp}`);

    expect(wrong.status).toBe(422);
    expect(await wrong.json()).toMatchObject({ detail: [{ loc: ['query', 'limit'], type: 'int_parsing' }] });
    expect(right.status).toBe(200);
  });

  it('breaks connections as its faults require', async () => {
    const server = await start();
    for (const kind of ['reset', 'reset-midway', 'truncated', 'empty', '502-html'] as const)
      server.control.failNext(kind);
    const ask = () =>
      get(server, '/v2/return-groups').then(async (answer) => [answer.status, await answer.text()] as const);

    const reset = await ask().catch(() => 'failed');
    const midway = await ask().catch(() => 'failed');
    const [status, truncated] = await ask();
    const empty = await ask();
    const gateway = await ask();
    const whole = await ask();

    expect([reset, midway]).toEqual(['failed', 'failed']);
    expect(status).toBe(200);
    expect(() => JSON.parse(truncated)).toThrow();
    expect(empty).toEqual([200, '']);
    expect(gateway[0]).toBe(502);
    expect(JSON.parse(whole[1])).toHaveLength(40);
  });

  it('sends no Date of its own', async () => {
    const server = await start({ knobs: { dateSkewSeconds: 'no Date' } });

    const answer = await get(server, '/v2/return-groups');

    expect(answer.headers.has('date')).toBe(false);
  });

  it('keeps one request waiting until the client gives up, and serves others meanwhile', async () => {
    const server = await start();
    server.control.failNext('hang');
    const giveUp = new AbortController();
    const hanging = get(server, '/v2/return-groups', server.token, giveUp.signal).then(
      () => 'answered',
      () => 'given up',
    );

    const other = await get(server, '/v2/return-groups?limit=1').then((answer) => answer.status);
    giveUp.abort();

    expect(other).toBe(200);
    expect(await hanging).toBe('given up');
  });

  it('closes at once despite hanging, slow or incomplete requests', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const timersBefore = timers();
    const server = await start({ knobs: { latencyMs: { least: 600_000, most: 600_000 } } });
    server.control.failNext('hang');
    server.control.failNext('slow');
    const waiting = [get(server, '/v2/return-groups'), get(server, '/v2/return-groups')].map((answer) =>
      answer.then(
        () => 'answered',
        () => 'closed',
      ),
    );
    const { hostname, port } = new URL(server.url);
    const half = connect(Number(port), hostname);
    await new Promise<void>((resolve) => half.once('connect', resolve));
    half.on('error', () => undefined).write('GET /api/v2/return-groups HTTP/1.1\r\n');
    const ended = new Promise<string>((resolve) => half.once('close', () => resolve('closed')));
    while (server.control.requests().length < 2) await new Promise((resolve) => setImmediate(resolve));

    await server.close();

    expect(await Promise.all([...waiting, ended])).toEqual(['closed', 'closed', 'closed']);
    await expect(fetch(server.url)).rejects.toThrow();
    expect(timers()).toBeLessThanOrEqual(timersBefore);
  });

  it('keeps connections alive between answers', async () => {
    const server = await start();
    const { port } = new URL(server.url);

    const headers = await new Promise<string | undefined>((resolve, reject) => {
      request({ port, host: '127.0.0.1', path: '/api/v2/nothing' }, (answer) => {
        answer.resume().on('end', () => resolve(answer.headers.connection));
      })
        .on('error', reject)
        .end();
    });

    expect(headers).toBe('keep-alive');
  });
});

describe('the control interface over HTTP', () => {
  it('shows and changes groups', async () => {
    const server = await start({ knobs: { stampForm: 'Z' } });
    const id = 100_010;

    server.control.advance(5_000);
    await control(server, 'mutate', { groupId: id, set: { 'returns.0.status': 'CANCELED' } });
    const snapshot = (await (await control(server, 'snapshot')).json()) as { id: number }[];
    const [group] = (await (await get(server, `/v2/return-groups?return_group_id=${id}`)).json()) as Row[];

    expect(group?.updated_at).toBe('2026-11-20T10:00:05.000000Z');
    expect(group?.returns[0]?.status).toBe('CANCELED');
    expect(snapshot).toHaveLength(40);
    expect(snapshot.find((other) => other.id === id)).toEqual(group);
  });

  it('makes a named step, or lists the possible steps', async () => {
    const server = await start();
    const { groupId } = server.control.create((draft) => {
      draft.shipments = draft.shipments.map((each) => ({ ...each, status: 'CREATED' }));
    });

    const shipped = await control(server, 'mutate', { groupId, step: 'shipment.shipped' });
    const again = await control(server, 'mutate', { groupId, step: 'shipment.labelled' });

    expect(await shipped.json()).toMatchObject({ groupId, step: 'shipment.shipped', parts: ['shipment'] });
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ detail: expect.stringContaining('possible: ') });
  });

  it('refuses unknown requests', async () => {
    const server = await start();

    const answers = await Promise.all([
      control(server, 'mutate', { groupId: 1, set: {} }),
      control(server, 'mutate', { groupId: 100_010, set: { 'returns.0.nothing': 1 } }),
      control(server, 'mutate', { groupId: 100_010, set: { updated_at: 'soon' } }),
      fetch(new URL('/_control/mutate', server.url), { method: 'POST', body: 'no JSON' }),
    ]);

    expect(answers.map((answer) => answer.status)).toEqual(Array(4).fill(400));
  });
});
