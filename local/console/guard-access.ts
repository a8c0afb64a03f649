// Restricts the console to the person who has the printed address. The first request exchanges the address's random token
// for a cookie and redirects to an address without it. The check of `Host` prevents DNS rebinding, and the check of
// `Origin` prevents cross-site requests.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const TOKEN_BYTES = 24;
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

/**
 * Adds the checks to all routes.
 *
 * @returns the token for the address to print: `<url>/?token=<token>`
 */
export function guardAccess(app: FastifyInstance): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    const { port } = request.socket.address() as { readonly port: number };
    const problem = problemOf(request, port);
    if (problem !== undefined) return reject(reply, problem);
    const name = `returns-feed-${port}`;
    if (isToken(tokenIn(request), token)) {
      // All ports of a host share cookies, so the name contains the port.
      reply.header('set-cookie', `${name}=${token}; HttpOnly; SameSite=Strict; Path=/`);
      return reply.redirect('/', 303);
    }
    if (!isToken(cookieOf(request, name), token))
      return reject(reply, 'Open the address that "returns-feed console" printed: it contains a token.');
  });
  return token;
}

/** Responds with a sentence as plain text, and with the console's headers. */
export function reject(reply: FastifyReply, problem: string, status = 403): FastifyReply {
  return reply.headers(HEADERS).code(status).type('text/plain; charset=utf-8').send(`${problem}\n`);
}

function problemOf({ headers, method }: FastifyRequest, port: number): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? ''))
    return 'The console only accepts requests for 127.0.0.1 and localhost.';
  const { origin } = headers;
  const isForeign = origin !== undefined && origin !== `http://${headers.host}`;
  // Browsers send `Origin` with every request other than GET and HEAD.
  if (isForeign || (method !== 'GET' && method !== 'HEAD' && origin === undefined))
    return 'The request comes from another page.';
  return undefined;
}

function tokenIn({ query }: FastifyRequest): string | undefined {
  const { token } = query as { readonly token?: unknown };
  return typeof token === 'string' ? token : undefined;
}

function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const cookies = headers.cookie?.split(';') ?? [];
  const found = cookies.find((cookie) => cookie.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1);
}

function isToken(given: string | undefined, token: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
