// A URL as people may see it: the scheme, the host and the path, without what may be a credential.

/** A part of a path that is a word, a short number or a version; anything else may be a token. */
const PLAIN = /^(?:[a-z_.-]{1,24}|v?\d{1,4})$/i;

/** For instance `https://hooks.example.com/services/…`. */
export function shownUrl({ protocol, host, pathname }: URL): string {
  const path = pathname.split('/').map((part) => (part === '' || PLAIN.test(part) ? part : '…'));
  return `${protocol}//${host}${path.join('/').replace(/\/$/, '')}`;
}
