// The proxy that the environment names, where Node's agents can use one.
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeAll, listen, serve } from './listeners.ts';
import { BODY, failureOf, open, request, textOf } from './transport-under-test.ts';
import { EVENT, open as openPost } from './webhook-post-under-test.ts';

const canUseProxies = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');

let asked: string[];

beforeEach(async () => {
  asked = [];
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  vi.stubEnv('https_proxy', undefined);
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('HTTPS_PROXY', await listen(proxy));
});

afterEach(() => {
  closeAll();
  vi.unstubAllEnvs();
});

describe.runIf(canUseProxies)('with a proxy', () => {
  it('a service is read through it, and a failure says that there is one', async () => {
    const failure = await failureOf(open()(request('https://returns.invalid/v2')));

    expect(failure).toMatchObject({ code: 'ERR_PROXY_TUNNEL', hasProxy: true });
    expect(asked).toEqual(['returns.invalid:443']);
  });

  it('a service that NO_PROXY names is read without', async () => {
    vi.stubEnv('NO_PROXY', 'returns.invalid');

    await failureOf(open()(request('https://returns.invalid/v2')));

    expect(asked).toEqual([]);
  });

  it('a service on this machine is read without', async () => {
    vi.stubEnv('HTTP_PROXY', process.env.HTTPS_PROXY);
    const url = await serve((_, response) => response.end(BODY));

    expect(textOf(await open()(request(url)))).toBe(BODY);
    expect(asked).toEqual([]);
  });

  it('events are posted through it only where that is asked for', async () => {
    const answers = [
      await openPost('https://wms.invalid/hook', { usesProxy: true })(EVENT),
      await openPost('https://wms.invalid/hook')(EVENT),
    ];

    expect(answers).toMatchObject([{ failure: 'ERR_PROXY_TUNNEL' }, { failure: 'ENOTFOUND' }]);
    expect(asked).toEqual(['wms.invalid:443']);
  });
});

it.runIf(canUseProxies)('without a proxy a failure says that there is none', async () => {
  vi.stubEnv('HTTPS_PROXY', undefined);

  const failure = await failureOf(open()(request('https://returns.invalid/v2')));

  expect(failure).toMatchObject({ kind: 'connection', hasProxy: false });
});
