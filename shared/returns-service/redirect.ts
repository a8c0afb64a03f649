// Where an answer leads. Frameworks redirect a path to the same one with a slash at its end. The token goes to no other
// host, and never back to http.
import { isLoopback, LIST_PATH } from './base-url.ts';
import type { HttpAnswer } from './http-transport.ts';

export interface Redirect {
  /** The address of the list on the same host, if it is another one than was asked. */
  readonly follow?: string;
  /** A sentence that says what to change instead. */
  readonly hint?: string;
}

/** @param from the address of the list that was asked, without its query */
export function readRedirect({ headers: { location = '' } }: HttpAnswer, from: string): Redirect {
  if (!URL.canParse(location, from)) return {};
  const [{ protocol, host, hostname, pathname }, asked] = [new URL(location, from), new URL(from)];
  // A proxy that ends TLS makes frameworks write http.
  if (host === asked.host) return pathname === asked.pathname ? {} : { follow: `${asked.origin}${pathname}` };
  const scheme = isLoopback(hostname) ? protocol : 'https:';
  const path = pathname.replace(/\/$/, '');
  const base = `${scheme}//${host}${path.slice(0, -LIST_PATH.length)}`;
  const right = path.endsWith(LIST_PATH) ? base : `the right address on ${host}`;
  return {
    hint: ` It leads to ${host}, where the token is not sent: if that is the service, the base URL should be ${right}.`,
  };
}
