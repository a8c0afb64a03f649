// Restricts the console to the browser that opened the printed address. The console has a name of its own,
// `<random>.localhost`, so that its cookie reaches no other server of this machine: cookies ignore ports. The first
// request exchanges the address's token for a cookie with another value, and redirects to an address without it; then
// the token is worth nothing, wherever the browser keeps it.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { html, textOf } from './html.ts';

const SECRET_BYTES = 24;
/** In hexadecimal digits, because case does not count in names. */
const NAME_BYTES = 12;
const COOKIE = 'returns-feed';
/** Allow no content of other origins, no inline scripts and styles, and no frames. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: with it, browsers send `Origin: null` with the console's own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export interface Access {
  /** The address to print: its token opens the console once. */
  url(port: number): string;
}

/**
 * Adds the checks to all routes.
 *
 * @param onNewAddress called with the present address when a used one is opened by a browser without access
 */
export function guardAccess(
  app: Hono<{ Bindings: HttpBindings }>,
  onNewAddress: (url: string) => void,
): Access {
  const name = `${randomBytes(NAME_BYTES).toString('hex')}.localhost`;
  const cookie = newSecret();
  let token = newSecret();
  let usedToken: string | undefined;
  const url = (port: number) => `http://${name}:${port}/?token=${token}`;

  app.use(async (context, next) => {
    const response = admit(context, context.env.incoming);
    if (response === undefined) await next();
    else context.res = response;
    // After the routes: a stream sets its own.
    for (const [header, value] of Object.entries(HEADERS)) context.header(header, value);
  });

  /** @returns the response to a request that may not go on */
  function admit(context: Context, { headers, socket }: IncomingMessage): Response | undefined {
    const port = socket.localPort ?? 0;
    const problem = problemOf(headers, context.req.method, `${name}:${port}`);
    if (problem !== undefined) return reject(context, problem);
    const given = tokenIn(context);
    if (cookiesOf(headers).some((each) => isSame(each, cookie)))
      return given === undefined ? undefined : context.redirect('/', 303);
    if (isSame(given, token)) {
      usedToken = token;
      token = newSecret();
      context.header('set-cookie', `${COOKIE}=${cookie}; HttpOnly; SameSite=Strict; Path=/`);
      return context.redirect('/', 303);
    }
    if (isSame(given, usedToken)) {
      onNewAddress(url(port));
      return reject(
        context,
        'This address has been opened before. The console has printed a new one on its terminal.',
      );
    }
    return reject(
      context,
      'This browser has no access yet. Press c and Enter in the terminal where the console runs ("npm start" or ' +
        '"returns-feed console"), and open the address that it prints: it contains a token.',
    );
  }
  return { url };
}

/** A page of one sentence. Its only style is that of the browser. */
function reject(context: Context, problem: string): Response {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>returns-feed</title></head>
<body><main><h1>returns-feed</h1><p>${problem}</p></main></body></html>
`;
  return context.html(textOf(page), 403);
}

/** @param host the console's name and port: another one was made to resolve to this machine (DNS rebinding) */
function problemOf(headers: IncomingHttpHeaders, method: string, host: string): string | undefined {
  if (headers.host !== host) return 'The console answers only at the address that it printed.';
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  // Browsers send `Origin` with every request other than GET and HEAD; `none` is an address that a person opened.
  const isForeign =
    origin === undefined ? method !== 'GET' && method !== 'HEAD' : origin !== `http://${host}`;
  if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    return 'The request comes from another page. Open the address by itself, for instance in a new tab.';
  return undefined;
}

/** The token of the printed address; other addresses and methods have none. */
function tokenIn({ req }: Context): string | undefined {
  const [token, ...others] = req.queries('token') ?? [];
  return req.method === 'GET' && req.path === '/' && others.length === 0 ? token : undefined;
}

function cookiesOf(headers: IncomingHttpHeaders): string[] {
  const cookies = headers.cookie?.split(';').map((cookie) => cookie.trim()) ?? [];
  return cookies.flatMap((each) => (each.startsWith(`${COOKIE}=`) ? [each.slice(COOKIE.length + 1)] : []));
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function isSame(given: string | undefined, secret: string | undefined): boolean {
  if (given === undefined || secret === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
