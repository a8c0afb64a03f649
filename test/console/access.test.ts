// Access to the console, and its responses to requests without access. Over plain HTTP, because a browser would not send
// most of these requests.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '../../local/console/console-server.ts';
import { html } from '../../local/console/html.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

let console: Console;
let acted: number;

beforeAll(async () => {
  acted = 0;
  console = await openTestConsole();
});
afterAll(() => console.close());

function openTestConsole(): Promise<Console> {
  return startConsole({
    port: 0,
    place: '--data state',
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

/** The console's address without the token, and the token. */
function partsOf({ url }: Console): {
  readonly origin: string;
  readonly port: string;
  readonly token: string;
} {
  const { origin, port, searchParams } = new URL(url);
  return { origin, port, token: searchParams.get('token') ?? '' };
}

/** Sends a request and returns its response; for a stream, the first part of it. */
function ask(
  path: string,
  { method = 'GET', headers = {}, body }: Asked = {},
  of = console,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(new URL(path, partsOf(of).origin), { method, headers }, (answer) => {
      let text = '';
      const done = () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
        asking.destroy();
      };
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
        if (answer.headers['content-type'] === 'text/event-stream') done();
      });
      answer.on('end', done);
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

const cookieFor = (of: Console) => `returns-feed-${partsOf(of).port}=${partsOf(of).token}`;
const withCookie = (headers: Asked['headers'] = {}): Asked => ({
  headers: { cookie: cookieFor(console), ...headers },
});
const posted = (headers: Asked['headers']): Asked => ({
  ...withCookie({ 'content-type': 'application/x-www-form-urlencoded', ...headers }),
  method: 'POST',
  body: 'a=b',
});

describe('the address with the token', () => {
  it('sets a cookie for this console only, and redirects to the page without the token', async () => {
    const { token, port } = partsOf(console);

    const { status, headers, body } = await ask(`/?token=${token}`);

    expect(status).toBe(303);
    expect(headers.location).toBe('/');
    expect(headers['set-cookie']).toEqual([
      `returns-feed-${port}=${token}; HttpOnly; SameSite=Strict; Path=/`,
    ]);
    expect(body).not.toContain('secret');
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16);
  });

  it('does not appear in any page', async () => {
    const { token } = partsOf(console);

    const bodies = await Promise.all(
      ['/', '/?stream=1', '/fails', '/nothing', '/console.js'].map((path) => ask(path, withCookie())),
    );

    expect(bodies[0]?.body).toContain('The secret content');
    expect(JSON.stringify(bodies)).not.toContain(token);
  });
});

describe('a request without access', () => {
  it.each([
    ['neither token nor cookie', '/', {}],
    ['a wrong token', '/?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', {}],
    ['an empty token', '/?token=', {}],
    ['two tokens', '/?token=a&token=b', {}],
    ['a wrong cookie', '/', { cookie: 'returns-feed-1=AAAA' }],
    ['no right to a stream', '/?stream=1', {}],
    ['no right to the script', '/console.js', {}],
    ['no right to a page that does not exist', '/nothing', {}],
  ])('is refused: %s', async (_, path, headers) => {
    const { status, body } = await ask(path, { headers });

    expect(status).toBe(403);
    expect(body).not.toContain('The secret content');
  });

  it('is refused with the cookie of another console, even under this console’s cookie name', async () => {
    const other = await openTestConsole();
    const [theirs, ours] = [partsOf(other), partsOf(console)];

    const answers = await Promise.all([
      ask('/', { headers: { cookie: cookieFor(other) } }),
      ask('/', { headers: { cookie: `returns-feed-${ours.port}=${theirs.token}` } }),
      // A browser sends both cookies to both consoles, because cookies do not depend on ports.
      ask('/', { headers: { cookie: `${cookieFor(console)}; ${cookieFor(other)}` } }),
      ask('/', { headers: { cookie: `${cookieFor(console)}; ${cookieFor(other)}` } }, other),
    ]);
    await other.close();

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 200]);
  });
});

describe('a cross-site request with the cookie', () => {
  it.each([
    ['a name that was made to resolve to this machine', { host: 'attacker.example' }],
    ['such a name with the port', { host: 'attacker.example:80' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['a foreign page', { origin: 'https://attacker.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
  ])('is refused: %s', async (_, headers) => {
    const { token } = partsOf(console);
    const answers = await Promise.all([
      ask('/', withCookie(headers)),
      ask('/?stream=1', withCookie(headers)),
      ask(`/?token=${token}`, { headers }),
      ask('/act/anything', posted(headers)),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(JSON.stringify(answers)).not.toContain('The secret content');
    expect(acted).toBe(0);
  });

  it('can’t act without an origin, nor with another method than POST', async () => {
    const { origin } = partsOf(console);
    const answers = await Promise.all([
      ask('/act/anything', posted({})),
      ask('/act/anything', withCookie()),
      ask('/act/anything?confirmed=yes', withCookie({ origin })),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 404, 404]);
    expect(acted).toBe(0);
  });

  it('is accepted from the console’s own pages', async () => {
    const { origin, port } = partsOf(console);

    const own = await ask('/act/anything', posted({ origin }));
    const byName = await ask('/', withCookie({ host: `localhost:${port}` }));

    expect(own).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(byName.status).toBe(200);
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
    const { headers } = await ask(path, isAllowed ? withCookie() : {});

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

  it('comes from 127.0.0.1', () => {
    expect(partsOf(console).origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});
