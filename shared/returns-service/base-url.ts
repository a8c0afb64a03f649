// Checks a service's address before anything is sent: people type it, a token is sent to it, and it gives access to a
// shop's customers. Errors say what to write instead. They never show the text itself, which may contain a password.

/** Thrown for an address that can't be a service's; the message says what to write instead. */
export class InvalidBaseUrlError extends Error {
  override readonly name = 'InvalidBaseUrlError';
}

/** The path of all requests, below the base URL. */
export const LIST_PATH = '/v2/return-groups';

/**
 * Parses the service's base address, including its path prefix (returns-data-service.md calls it {base_url}).
 *
 * @returns the address without a trailing slash, so that paths can be appended to it
 * @throws {InvalidBaseUrlError}
 */
export function parseBaseUrl(text: string): string {
  const trimmed = text.trim();
  const url = parseUrl(trimmed);
  if (url.username !== '' || url.password !== '') {
    throw new InvalidBaseUrlError(
      'The base URL must not hold a user name or password: write it without what stands before the @.',
    );
  }
  if (/[?#]/.test(trimmed)) {
    throw new InvalidBaseUrlError(
      'The base URL must end with its path: leave out everything from the first ? or # on.',
    );
  }
  const pathname = url.pathname.replace(/\/+$/, '');
  if (pathname.endsWith(LIST_PATH)) {
    throw new InvalidBaseUrlError(
      `The base URL must end before ${LIST_PATH}, which the feed adds itself: write ` +
        `${url.protocol}//${url.host}${pathname.slice(0, -LIST_PATH.length)}.`,
    );
  }
  const address = `${url.host}${pathname}`;
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new InvalidBaseUrlError(
      `The base URL must begin with https, because the token is sent there: write https://${address}. ` +
        'Only an address of this machine (localhost, 127.0.0.1, [::1]) may begin with http.',
    );
  }
  return `${url.protocol}//${address}`;
}

function parseUrl(text: string): URL {
  if (text === '') {
    throw new InvalidBaseUrlError(
      'The base URL is empty: write one such as https://returns.example.com/api.',
    );
  }
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw new InvalidBaseUrlError(
      'The base URL is not an https address: write one such as https://returns.example.com/api.',
    );
  }
  return url;
}

/** @param hostname of a URL: its parser reduces every notation of an address to this one form */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
