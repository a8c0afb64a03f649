// Who may use the reference service: plain clients on this machine, and no web page of another origin. Over plain HTTP, and in
// a browser, which sends what pages cause.
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../../local/reference-service/create-reference-service.ts';
import { lacksBrowser, openBrowser } from '../../../console/open-browser.ts';

const CHANGE = { groupId: 100_005, set: { return_method: 'SELF_SHIP' } };

/** What a page can do with the address of another server. */
const PAGE = `<!doctype html><title>Attacker</title><body><script>
  const ask = (url, options) => fetch(url, options).then(({ type }) => type, () => 'failed');
  const load = (name, src) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), { src });
    element.onload = () => resolve('loaded');
    element.onerror = () => resolve('failed');
    document.body.append(element);
  });
  async function attack(origin) {
    const control = origin + '/_control';
    const list = origin + '/api/v2/return-groups';
    const sent = { method: 'POST', body: '${JSON.stringify(CHANGE)}' };
    return {
      'cors GET': await ask(control + '/snapshot'),
      'cors GET with a token': await ask(list, { headers: { 'X-Service-Api-Token': 'reference-token' } }),
      'cors POST': await ask(control + '/mutate', { ...sent, headers: { 'content-type': 'application/json' } }),
      'no-cors GET': await ask(control + '/snapshot', { mode: 'no-cors' }),
      'no-cors POST': await ask(control + '/mutate', { ...sent, mode: 'no-cors' }),
      image: await load('img', control + '/snapshot'),
      script: await load('script', list + '?limit=1'),
    };
  }
  function postForm(origin) {
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', enctype: 'text/plain', action: origin + '/_control/mutate' });
    const field = document.createElement('input');
    Object.assign(field, { name: '${JSON.stringify(CHANGE).slice(0, -1)},"a":"', value: '"}' });
    form.append(field);
    document.body.append(form);
    form.submit();
  }
</script>`;

let service: ReferenceService;
let port: number;

beforeEach(async () => {
  service = await createReferenceService({ groups: 10, life: false });
  port = Number(new URL(service.url).port);
});
afterEach(() => service.close());

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Unlike `fetch`, sends any `Host`. */
function ask({ path, method = 'GET', headers = {} }: Asked): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, async (answer) => {
      let body = '';
      for await (const chunk of answer) body += String(chunk);
      const answered = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
      resolve({ status: answer.statusCode ?? 0, body: body + answered.join() });
    });
    sent.on('error', reject).end(method === 'POST' ? JSON.stringify(CHANGE) : undefined);
  });
}

const REQUESTS: readonly Asked[] = [
  { path: '/api/v2/return-groups', headers: { 'x-service-api-token': 'reference-token' } },
  { path: '/_control/snapshot' },
  { path: '/_control/mutate', method: 'POST' },
];

describe('a plain client', () => {
  it.each(['127.0.0.1', 'localhost'])('is answered as %s', async (name) => {
    const host = `${name}:${port}`;

    const answers = await Promise.all(
      REQUESTS.map((each) => ask({ ...each, headers: { ...each.headers, host } })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('a request', () => {
  it.each([
    ['a name that resolves to this machine', { host: 'attacker.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['a page of another origin', { origin: 'https://attacker.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['an image of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a link on another port', { 'sec-fetch-site': 'same-site' }],
    ['a page at its own rebound name', { host: 'attacker.example', origin: 'http://attacker.example' }],
  ])('is refused with a sentence: from %s', async (_, foreign) => {
    const answers = await Promise.all(
      REQUESTS.map((each) => ask({ ...each, headers: { ...each.headers, ...foreign } })),
    );

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    for (const { body } of answers) expect(body).toMatch(/^This server [^.]+.*\.\n$/);
    expect(service.control.history()).toEqual([]);
    expect(service.control.requests()).toEqual([]);
  });

  it.each(['/api/v2/return-groups', '/_control/mutate'])(
    'that asks for permission is refused: %s',
    async (path) => {
      const headers = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' };

      const answer = await ask({ path, method: 'OPTIONS', headers });

      expect(answer.status).toBe(403);
      expect(answer.body).not.toContain('access-control-');
    },
  );
});

describe.skipIf(lacksBrowser)('a page of another origin in a browser', () => {
  let browser: Browser;
  let pages: Server;

  beforeAll(async () => {
    browser = await openBrowser();
    pages = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE)).listen(
      0,
      '127.0.0.1',
    );
    await once(pages, 'listening');
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
  });

  /** What a page can send without being able to read the answer counts too: the service must not act on it. */
  it.each([
    ['another site', 'localhost'],
    ['another port of the same site', '127.0.0.1'],
  ])('reads and changes nothing, from %s', async (_, name) => {
    const { origin } = new URL(service.url);
    const page = await browser.newPage();
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).port === String(port)) statuses.push(response.status());
    });
    await page.goto(`http://${name}:${(pages.address() as AddressInfo).port}/`);

    const outcomes = await page.evaluate(`attack('${origin}')`);
    await Promise.all([page.waitForNavigation(), page.evaluate(`postForm('${origin}')`)]);

    expect(outcomes).toEqual({
      ...{ 'cors GET': 'failed', 'cors GET with a token': 'failed', 'cors POST': 'failed' },
      ...{ 'no-cors GET': 'opaque', 'no-cors POST': 'opaque', image: 'failed', script: 'failed' },
    });
    expect(await page.textContent('body')).toContain('refuses requests from pages of other origins');
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(service.control.history()).toEqual([]);
    expect(service.control.requests()).toEqual([]);
    await page.close();
  });
});
