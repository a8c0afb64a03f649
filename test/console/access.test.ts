// Access to the console, and its responses to requests without access. Over plain HTTP, because a browser would not send
// most of these requests; the last tests use a browser.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '../../local/console/console-server.ts';
import { html } from '../../local/console/html.ts';
import { type Answer, type Asked, ask as askAt, openAddress } from './ask-console.ts';
import { lacksBrowser, openBrowser } from './open-browser.ts';

let console: Console;
let access: { readonly cookie: string };
let acted: number;
/** The addresses that the console printed after its first one. */
const printed: string[] = [];

beforeAll(async () => {
  acted = 0;
  console = await openTestConsole();
  access = await openAddress(console);
});
afterAll(() => console.close());

function openTestConsole(): Promise<Console> {
  return startConsole({
    port: 0,
    place: '--data state',
    onNewAddress: (url) => void printed.push(url),
    pages: [
      {
        path: '/',
        render: async () => ({ title: 'Test', body: html`<h1>The secret content</h1>` }),
        updates: { everyMs: 10 },
      },
      {
        path: '/fails',
        render: async () => {
          throw new Error('This page always fails.');
        },
      },
    ],
    actions: [
      {
        path: '/act/anything',
        async run() {
          acted += 1;
          return { to: '/' };
        },
      },
    ],
  });
}

const ask = (path: string, asked?: Asked, of = console): Promise<Answer> =>
  askAt(new URL(path, of.url), asked);
const withAccess = (headers: Asked['headers'] = {}): Asked => ({ headers: { ...access, ...headers } });
const posted = (headers: Asked['headers']): Asked => ({
  ...withAccess({ 'content-type': 'application/x-www-form-urlencoded', ...headers }),
  method: 'POST',
  body: 'a=b',
});
const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

describe('the address', () => {
  it('has a random name below localhost, and a random token', async () => {
    const other = await openTestConsole();
    const [ours, theirs] = [new URL(console.url), new URL(other.url)];
    await other.close();

    expect(ours.hostname).toMatch(/^[0-9a-f]{24}\.localhost$/);
    expect(theirs.hostname).not.toBe(ours.hostname);
    expect(Buffer.from(ours.searchParams.get('token') ?? '', 'base64url')).toHaveLength(24);
  });

  it('is exchanged for a cookie of this name only, with another value, at an address without the token', async () => {
    const fresh = await openTestConsole();
    const { url } = fresh;

    const { status, headers, body } = await askAt(url);
    await fresh.close();

    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^returns-feed=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    expect(String(headers['set-cookie'])).not.toContain(new URL(url).searchParams.get('token'));
    expect(body).toBe('');
  });

  it('opens the console once; then the console prints another one', async () => {
    const { url } = console;
    await askAt(url);
    printed.length = 0;

    const again = await askAt(url);

    expect([again.status, again.headers['set-cookie']]).toEqual([403, undefined]);
    expect(again.body).toContain('The console has printed a new one on its terminal.');
    expect(printed).toEqual([console.url]);
    expect((await askAt(console.url)).status).toBe(303);
  });

  it('leads to the page where the browser has access already, and stays usable', async () => {
    const { url } = console;

    const { status, headers } = await askAt(url, withAccess());

    expect([status, headers.location]).toEqual([303, '/']);
    expect(console.url).toBe(url);
  });

  it.each([
    ['another method', '', { method: 'HEAD' }],
    ['another page', 'nothing', {}],
  ])('is not used up by %s', async (_, path, asked) => {
    const { url } = console;

    const { status } = await ask(`/${path}${new URL(url).search}`, asked);

    expect(status).toBe(403);
    expect(console.url).toBe(url);
  });

  it('does not appear in any page', async () => {
    const bodies = await Promise.all(
      ['/', '/?stream=1', '/fails', '/nothing', '/console.js'].map((path) => ask(path, withAccess())),
    );

    expect(bodies[0]?.body).toContain('The secret content');
    expect(JSON.stringify(bodies)).not.toContain(new URL(console.url).searchParams.get('token'));
  });

  it('leads to the console on ::1 too, where no other program can listen', async () => {
    const { status } = await ask('/', { ...withAccess(), at: '::1' });
    const stranger = createServer().listen(Number(new URL(console.url).port), '::1');
    const failure = await new Promise<NodeJS.ErrnoException>((resolve) => stranger.once('error', resolve));

    expect(status).toBe(200);
    expect(failure.code).toBe('EADDRINUSE');
  });
});

describe('a request without access', () => {
  it.each([
    ['neither token nor cookie', '/', {}],
    ['a wrong token', '/?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', {}],
    ['an empty token', '/?token=', {}],
    ['two tokens', '/?token=a&token=b', {}],
    ['a wrong cookie', '/', { cookie: 'returns-feed=AAAA' }],
    ['no right to a stream', '/?stream=1', {}],
    ['no right to the script', '/console.js', {}],
    ['no right to a page that does not exist', '/nothing', {}],
  ])('is refused: %s', async (_, path, headers) => {
    const { status, body } = await ask(path, { headers });

    expect(status).toBe(403);
    expect(body).not.toContain('The secret content');
  });

  it('is refused with the token as the cookie, and with the cookie of another console', async () => {
    const other = await openTestConsole();
    const theirs = await openAddress(other);

    const answers = await Promise.all([
      ask('/', { headers: { cookie: `returns-feed=${new URL(console.url).searchParams.get('token')}` } }),
      ask('/', { headers: theirs }),
      ask('/', { headers: access }, other),
      ask('/', { headers: { cookie: `${theirs.cookie}; ${access.cookie}` } }),
    ]);
    await other.close();

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 200]);
  });
});

describe('a cross-site request with the cookie', () => {
  const port = () => new URL(console.url).port;
  it.each<[string, () => Readonly<Record<string, string>>]>([
    ['a name that was made to resolve to this machine', () => ({ host: 'attacker.example' })],
    ['such a name with the port', () => ({ host: `attacker.example:${port()}` })],
    ['the address of this machine', () => ({ host: `127.0.0.1:${port()}` })],
    ['the usual name of this machine', () => ({ host: `localhost:${port()}` })],
    ['a name below the console’s', () => ({ host: `a.${new URL(console.url).host}` })],
    ['another port', () => ({ host: `${new URL(console.url).hostname}:1` })],
    ['a foreign page', () => ({ origin: 'https://attacker.example' })],
    ['a page of another port', () => ({ origin: `http://${new URL(console.url).hostname}:1` })],
    ['a page without an origin', () => ({ origin: 'null' })],
    ['a page of another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['a page of the same site', () => ({ 'sec-fetch-site': 'same-site' })],
    [
      'a navigation from another site',
      () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }),
    ],
  ])('is refused: %s', async (_, headers) => {
    const own = { origin: new URL(console.url).origin };
    const { url } = console;

    const answers = await Promise.all([
      ask('/', withAccess(headers())),
      ask('/?stream=1', withAccess(headers())),
      ask('/console.js', withAccess(headers())),
      ask('/nothing', withAccess(headers())),
      ask(pathOf(url), { headers: headers() }),
      ask('/act/anything', posted({ ...own, ...headers() })),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(JSON.stringify(answers)).not.toContain('The secret content');
    expect(answers.flatMap(({ headers: { 'set-cookie': cookie } }) => cookie ?? [])).toEqual([]);
    expect(console.url).toBe(url);
    expect(acted).toBe(0);
  });

  it('can’t act without an origin, nor with another method than POST', async () => {
    const { origin } = new URL(console.url);
    const answers = await Promise.all([
      ask('/act/anything', posted({})),
      ask('/act/anything', withAccess()),
      ask('/act/anything?confirmed=yes', withAccess({ origin })),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 404, 404]);
    expect(acted).toBe(0);
  });

  it('is accepted from the console’s own pages, and from an address that a person opens', async () => {
    const { origin } = new URL(console.url);

    const own = await ask('/act/anything', posted({ origin, 'sec-fetch-site': 'same-origin' }));
    const typed = await ask('/', withAccess({ 'sec-fetch-site': 'none' }));

    expect(own).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(typed.status).toBe(200);
    expect(acted).toBe(1);
    acted = 0;
  });
});

describe('every response', () => {
  it.each([
    ['a page', '/', true],
    ['a stream', '/?stream=1', true],
    ['the script', '/console.js', true],
    ['the stylesheet', '/console.css', true],
    ['the icon', '/icon.svg', true],
    ['a page that fails', '/fails', true],
    ['a page that does not exist', '/nothing', true],
    ['a malformed address', '/%E0%A4%A', true],
    ['a refusal', '/', false],
  ])('forbids foreign content, frames and caches: %s', async (_, path, isAllowed) => {
    const { headers } = await ask(path, isAllowed ? withAccess() : {});

    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe.skipIf(lacksBrowser)('in a browser', () => {
  let browser: Browser;
  /** Another server of this machine, which a browser may visit. */
  let stranger: Server;
  const cookiesOfStranger: unknown[] = [];
  const addressOfStranger = (host: string) => `http://${host}:${(stranger.address() as AddressInfo).port}/`;

  beforeAll(async () => {
    browser = await openBrowser();
    stranger = createServer((request, response) => {
      cookiesOfStranger.push(request.headers.cookie);
      response.setHeader('content-type', 'text/html').end(ATTACK(console.url));
    }).listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await browser?.close();
    stranger?.close();
  });

  it('the name resolves, the token leaves the address, and going back does not show it', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const { url } = console;

    await page.goto(url);
    const opened = page.url();
    await page.goto(new URL('/nothing', url).href);
    await page.goBack();

    expect([opened, page.url()]).toEqual([`${new URL(url).origin}/`, opened]);
    expect(await page.textContent('h1')).toBe('The secret content');
    expect(await page.evaluate('document.cookie')).toBe('');
    await context.close();
  });

  it('the cookie reaches no other port of this machine, and no page there can read or change anything', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(console.url);
    acted = 0;

    const outcomes: unknown[] = [];
    const frames: string[] = [];
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(addressOfStranger(host));
      outcomes.push(await page.evaluate('attack()'));
      frames.push(...(await Promise.all(page.frames().map((frame) => frame.content()))));
    }

    expect(cookiesOfStranger.every((cookie) => cookie === undefined)).toBe(true);
    expect(outcomes).toEqual([REFUSED, REFUSED]);
    expect(frames).toHaveLength(4);
    expect(frames.join()).not.toContain('The secret content');
    expect(acted).toBe(0);
    await context.close();
  });
});

const REFUSED = { read: 'TypeError', act: 'TypeError', stream: 'error' };

/** A page that tries what a page can try: to read, to act, to open a stream, and to show the console in a frame. */
const ATTACK = (url: string) => `<!doctype html><script>
const console_ = ${JSON.stringify(new URL(url).origin)};
const failure = (promise) => promise.then(() => 'worked', (error) => error.name);
async function attack() {
  const read = await failure(fetch(console_ + '/', { credentials: 'include' }));
  const act = await failure(fetch(console_ + '/act/anything', { method: 'POST', credentials: 'include', body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' } }));
  const stream = await new Promise((resolve) => {
    const source = new EventSource(console_ + '/?stream=1', { withCredentials: true });
    source.onopen = () => resolve('open');
    source.onerror = () => resolve('error');
  });
  await new Promise((resolve) => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.onload = resolve;
    frame.src = console_ + '/';
  });
  return { read, act, stream };
}
</script><body></body>`;
