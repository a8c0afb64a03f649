// Below which names a feed's poller may read tokens that its stack does not name. The stack allows them, `sources add`
// holds the tokens of added sources to them.

/** @param service the feed's name in parameters, logs and metrics */
export function tokenNames(service: string): { readonly ofSecrets: string; readonly ofParameters: string } {
  return { ofSecrets: `${service}/tokens/`, ofParameters: `/${service}/tokens/` };
}
