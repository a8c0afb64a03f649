// Where sources are configured: one parameter per source. It holds the source's settings as JSON and the place of its
// token, never the token itself. The stack's sources have a path that only the stack writes. All others were added, by
// whoever may write there: their tokens must be those of their address.
import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { isTokenFor, serviceOf, sourcePaths, tokenNamesFor } from '../../shared/deployment/token-names.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { parseParameter } from './ssm-parameters.ts';

/** A secret of Secrets Manager, or a SecureString of SSM. */
const tokenPlace = z.union([
  z.object({ secretId: z.string().min(1) }).strict(),
  z.object({ parameter: z.string().min(1) }).strict(),
]);

export type TokenPlace = z.output<typeof tokenPlace>;

const storedSource = z.object({ settings: sourceSettings, token: tokenPlace });

export type StoredSource = z.output<typeof storedSource>;

export interface SsmSourceDirectoryOptions {
  readonly client: SSMClient;
  /** The path of added sources without a trailing slash, for instance `/returns-feed/sources`. */
  readonly path: string;
}

/**
 * Reads a source's parameter. A source of the stack comes before an added one of the same name.
 *
 * @returns undefined if there is none: the source was removed, or never existed
 * @throws Error that names the parameter and every invalid field, or the token that does not belong to the address
 */
export async function readStoredSource(
  { client, path }: SsmSourceDirectoryOptions,
  source: string,
): Promise<StoredSource | undefined> {
  const { ofStack } = sourcePaths(serviceOf(path));
  const own = await readParameter(client, `${ofStack}/${source}`);
  if (own !== undefined) return own;
  const added = await readParameter(client, `${path}/${source}`);
  if (added !== undefined) checkAddress(path, added);
  return added;
}

async function readParameter(client: SSMClient, name: string): Promise<StoredSource | undefined> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name }));
    return parseStoredSource(name, Parameter?.Value ?? '');
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

function checkAddress(path: string, { settings: { name, baseUrl }, token }: StoredSource): void {
  const names = tokenNamesFor(serviceOf(path), baseUrl);
  if (isTokenFor(names, token)) return;
  const [given, prefix] =
    'secretId' in token ? [token.secretId, names.ofSecrets] : [token.parameter, names.ofParameters];
  throw new Error(
    `The token ${given} is not sent to the address of source ${name}: the name of an added source's token must begin ` +
      `with ${prefix}.`,
  );
}

/** @throws Error that names the parameter and every invalid field */
export function parseStoredSource(name: string, text: string): StoredSource {
  return parseParameter(storedSource, 'a source', name, text);
}
