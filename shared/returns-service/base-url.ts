// A service's address is typed by people, holds the way to a shop's customers, and is sent a token: it is checked
// before anything is sent, and what is wrong is said in words that help. The text itself is never shown, for it may
// hold a password.

/** Thrown for an address that is no address of a service; the message says what to write instead. */
export class InvalidBaseUrlError extends Error {
  override readonly name = 'InvalidBaseUrlError';
}

/**
 * Reads the service's base address, path prefix included (returns-data-service.md calls it {base_url}).
 *
 * @returns the address without a trailing slash, so that paths can be appended to it.
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
  const address = `${url.host}${url.pathname.replace(/\/+$/, '')}`;
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new InvalidBaseUrlError(
      `The base URL must begin with https, for a token is sent there: write https://${address}. ` +
        'Only an address of this machine (localhost, 127.0.0.1, [::1]) may do without.',
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

// The parser has already brought every way of writing an IPv4 or IPv6 address into this one form.
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
