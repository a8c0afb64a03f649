// Finds a source for a tick or a question: its entry, and the access to its token. Each is read anew, so that a change
// takes effect at once; a session keeps the token until the service refuses it.
import { isTokenFor, type NamedToken, tokenNamesFor } from '../../shared/deployment/token-names.ts';
import type { SourceDirectory } from '../adapters/dynamodb-source-directory.ts';
import { readStoredToken, type TokenClients } from '../adapters/stored-token.ts';
import type { PollerEnvironment } from './poller-environment.ts';
import type { SourceAccess } from './source-sessions.ts';

export interface FindSourceOptions {
  readonly directory: Pick<SourceDirectory, 'find'>;
  readonly clients: TokenClients;
  /** The feed's name. */
  readonly feed: string;
  /** The stack's tokens that have names of their own, each with the address that it is for. */
  readonly declaredTokens: PollerEnvironment['DECLARED_TOKENS'];
}

/**
 * @returns a function that throws Error for an entry that is not valid, with each problem, and for a token that does not
 *   belong to the entry's address
 */
export function createFindSource({
  directory,
  clients,
  feed,
  declaredTokens,
}: FindSourceOptions): SourceAccess['findSource'] {
  return async (name) => {
    const entry = await directory.find(name);
    if (entry === undefined) return undefined;
    if ('problem' in entry) throw new Error(`The entry of source ${name} is not valid. ${entry.problem}`);
    const { settings, token, isPaused } = entry;
    const { baseUrl } = settings;
    // KMS itself binds an encrypted token to its address.
    if (!('encrypted' in token) && !declaredTokens.some((it) => isDeclared(it, token, baseUrl)))
      checkName(feed, name, baseUrl, token);
    return {
      ...{ settings, isPaused },
      secret: {
        place: JSON.stringify([token, baseUrl]),
        read: () => readStoredToken(clients, token, { feed, settings }),
      },
    };
  };
}

function isDeclared(
  declared: PollerEnvironment['DECLARED_TOKENS'][number],
  token: NamedToken,
  baseUrl: string,
): boolean {
  const isSameToken = JSON.stringify(declared.token) === JSON.stringify(token);
  return isSameToken && new URL(declared.baseUrl).origin === new URL(baseUrl).origin;
}

function checkName(feed: string, source: string, baseUrl: string, token: NamedToken): void {
  const names = tokenNamesFor(feed, baseUrl);
  if (isTokenFor(names, token)) return;
  const [given, prefix] =
    'secretId' in token ? [token.secretId, names.ofSecrets] : [token.parameter, names.ofParameters];
  throw new Error(
    `The token ${given} is not sent to the address of source ${source}: its name must begin with ${prefix}.`,
  );
}
