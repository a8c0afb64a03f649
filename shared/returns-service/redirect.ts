// Where an answer leads. Frameworks redirect a path to the same one with a slash at its end; the token goes to no other
// host, and never back to http.
import { isLoopback, LIST_PATH } from './base-url.ts';
import type { HttpAnswer } from './http-transport.ts';

export interface Redirect {
  /** The address of the list on the same host, which differs from the one that was asked. */
  readonly follow?: string;
  /** What to change instead, in a sentence. */
  readonly hint: string;
}

/** @param from the address of the list that was asked, without its query */
export function readRedirect({ headers: { location } }: HttpAnswer, from: string): Redirect {
  if (location === undefined || !URL.canParse(location, from))
    return { hint: 'It does not say where to: the base URL may lack its path prefix.' };
  const [to, asked] = [new URL(location, from), new URL(from)];
  if (to.host === asked.host) {
    const hint = 'It leads on: the base URL may lack its path prefix.';
    // A proxy that ends TLS makes frameworks write http.
    return to.pathname === asked.pathname ? { hint } : { hint, follow: `${asked.origin}${to.pathname}` };
  }
  const scheme = isLoopback(to.hostname) ? to.protocol : 'https:';
  const path = to.pathname.replace(/\/$/, '');
  const base = path.endsWith(LIST_PATH)
    ? `${scheme}//${to.host}${path.slice(0, -LIST_PATH.length)}`
    : `the right address on ${to.host}`;
  return {
    hint: `It leads to ${to.host}, where the token is not sent: if that is the service, the base URL should be ${base}.`,
  };
}
