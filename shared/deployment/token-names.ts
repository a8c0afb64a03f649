// The prefixes under which a feed's poller may read tokens that its stack does not name. The stack grants access to
// them, and `sources add` requires them of the tokens of added sources.

/** @param service the feed's name in parameters, logs and metrics */
export function tokenNames(service: string): { readonly ofSecrets: string; readonly ofParameters: string } {
  return { ofSecrets: `${service}/tokens/`, ofParameters: `/${service}/tokens/` };
}
