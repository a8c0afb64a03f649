// Keeps web pages out of the servers on this machine: any page may send requests to 127.0.0.1, and a name that an attacker
// controls may resolve to it (DNS rebinding).
import type { IncomingHttpHeaders } from 'node:http';

/** The values of `Host` in requests for 127.0.0.1 or localhost. Clients omit port 80. */
export function hostsOfThisMachine(port: number): string[] {
  return ['127.0.0.1', 'localhost'].map((name) => (port === 80 ? name : `${name}:${port}`));
}

/**
 * Checks `Host`, `Origin` and `Sec-Fetch-Site`. Clients other than browsers only send the first. Browsers send `Origin`
 * with everything but GET and HEAD, and `Sec-Fetch-Site` with everything.
 *
 * @param hosts the values of `Host` that the server answers
 * @returns why the request must be refused, as a sentence; undefined if it comes from the server's own pages, from an
 *   address that a person typed, or from another client
 */
export function findForeign(headers: IncomingHttpHeaders, hosts: readonly string[]): string | undefined {
  const { host = '', origin = `http://${host}` } = headers;
  const site = headers['sec-fetch-site'] ?? 'none';
  if (!hosts.includes(host)) return `This server only accepts requests for ${hosts.join(' and ')}.`;
  if (origin !== `http://${host}` || (site !== 'same-origin' && site !== 'none'))
    return 'This server refuses requests from pages of other origins.';
  return undefined;
}
