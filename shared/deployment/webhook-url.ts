// The URL of a webhook, checked before anything is sent to it.
import { type AddressRange, checkLiteralAddress } from './address-range.ts';

/**
 * Returns the URL of a webhook: https, or http as well on one machine (`any`).
 *
 * @throws Error that names the problem and not the URL: its path may be a secret
 */
export function parseWebhookUrl(text: string, addresses: AddressRange): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    throw new Error('The URL of the webhook is not a URL. Give one like https://example.com/hook.');
  const allowed = addresses === 'any' ? ['https:', 'http:'] : ['https:'];
  if (!allowed.includes(url.protocol))
    throw new Error(
      `The URL of the webhook must begin with ${allowed.join('// or ')}// (got ${url.protocol}//).`,
    );
  if (url.username !== '' || url.password !== '')
    throw new Error(
      'The URL of the webhook has a user name or password. Give them as the header authorization.',
    );
  checkLiteralAddress(url.hostname, addresses);
  return url;
}
