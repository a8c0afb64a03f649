// Only a person who has the printed address may use the console. A random token in the address becomes a cookie, and
// the token disappears from the address once the page has loaded. `Host` is checked because a foreign page may make its
// own name resolve to this machine, and `Origin` because a foreign page may send requests here.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const TOKEN_BYTES = 24;
/** Nothing from elsewhere, no inline script or style, never in a frame. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: with it browsers send the console's own forms with `Origin: null`, as those of foreign pages.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * Adds the checks to all routes.
 *
 * @returns the token, for the address that is printed: `<url>/?token=<token>`
 */
export function guardAccess(app: FastifyInstance): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    const { port } = request.socket.address() as { readonly port: number };
    const problem = problemOf(request, port);
    if (problem !== undefined) return refuse(reply, problem);
    const name = `returns-feed-${port}`;
    if (isToken(tokenIn(request), token)) {
      // Cookies are shared by all ports of a host: the name keeps two consoles apart.
      reply.header('set-cookie', `${name}=${token}; HttpOnly; SameSite=Strict; Path=/`);
      return reply.redirect('/', 303);
    }
    if (!isToken(cookieOf(request, name), token))
      return refuse(reply, 'Open the address that "returns-feed console" printed: it contains a token.');
  });
  return token;
}

/** Answers with a sentence, and with the headers of all answers. */
export function refuse(reply: FastifyReply, problem: string, status = 403): FastifyReply {
  return reply.headers(HEADERS).code(status).type('text/plain; charset=utf-8').send(`${problem}\n`);
}

function problemOf({ headers, method }: FastifyRequest, port: number): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? '')) return 'This console answers on 127.0.0.1 only.';
  const { origin } = headers;
  const isForeign = origin !== undefined && origin !== `http://${headers.host}`;
  // Browsers send the origin with every request that changes something.
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
