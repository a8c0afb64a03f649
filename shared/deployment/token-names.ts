// Which names tokens have. The stack grants the poller access to all names with the feed's prefix. Whoever may add a
// source writes its entry, so only the token's name proves that the token belongs to the address: the name contains the
// host, and the poller sends it nowhere else. Tokens of other names are bound to their addresses by the stack itself.

/** The prefixes under which the poller may read tokens that its stack does not name. */
export function tokenNames(service: string): TokenPrefixes {
  return { ofSecrets: `${service}/tokens/`, ofParameters: `/${service}/tokens/` };
}

/** A token outside its source's entry, by its name or its ARN. */
export type NamedToken = { readonly secretId: string } | { readonly parameter: string };

/** The names of the encryption context of a token inside its source's entry; all of them are always given. */
export const TOKEN_CONTEXT = ['feed', 'source', 'scheme', 'host', 'port'] as const;

interface TokenPrefixes {
  readonly ofSecrets: string;
  readonly ofParameters: string;
}

/** The prefixes of tokens that may be sent to an address, such as `returns-feed/tokens/returns.example.com/`. */
export function tokenNamesFor(service: string, baseUrl: string): TokenPrefixes {
  const { ofSecrets, ofParameters } = tokenNames(service);
  // Names may not have the colon before a port.
  const host = new URL(baseUrl).host.replaceAll(/[^a-z0-9.-]/g, '_');
  return { ofSecrets: `${ofSecrets}${host}/`, ofParameters: `${ofParameters}${host}/` };
}

/** Whether a token's name allows its use at the address that the prefixes are for. */
export function isTokenFor({ ofSecrets, ofParameters }: TokenPrefixes, token: NamedToken): boolean {
  return 'secretId' in token
    ? nameOf(token.secretId, ':secret:').startsWith(ofSecrets)
    : nameOf(token.parameter, ':parameter').startsWith(ofParameters);
}

/** The same for each way to name one token. */
export function tokenId(token: NamedToken): string {
  if ('parameter' in token) return `parameter ${nameOf(token.parameter, ':parameter').replace(/^\//, '')}`;
  const name = nameOf(token.secretId, ':secret:');
  // Secrets Manager adds a suffix to the name in an ARN.
  return `secret ${name === token.secretId ? name : name.replace(/-[A-Za-z0-9]{6}$/, '')}`;
}

function nameOf(place: string, before: string): string {
  if (!place.startsWith('arn:')) return place;
  const at = place.indexOf(before);
  return at === -1 ? '' : place.slice(at + before.length);
}
