// Where sources are configured: one parameter per source below a common path. It holds the source's settings as JSON
// and the place of its token, never the token itself.
import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { listParameters, parseParameter } from './ssm-parameters.ts';

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
  /** Without a trailing slash, for instance `/returns-feed/sources`. */
  readonly path: string;
}

/**
 * Reads a source's parameter.
 *
 * @returns undefined if there is none: the source was removed, or never existed
 * @throws Error that names the parameter and every invalid field
 */
export async function readStoredSource(
  { client, path }: SsmSourceDirectoryOptions,
  source: string,
): Promise<StoredSource | undefined> {
  const name = `${path}/${source}`;
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: name }));
    return parseStoredSource(name, Parameter?.Value ?? '');
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

/** @throws Error that names the parameter and every invalid field */
export function parseStoredSource(name: string, text: string): StoredSource {
  return parseParameter(storedSource, 'a source', name, text);
}

/** All sources that are configured below the path, by name. @throws Error that names the invalid parameter and field */
export async function listStoredSources({
  client,
  path,
}: SsmSourceDirectoryOptions): Promise<StoredSource[]> {
  const sources = await listParameters(client, path, parseStoredSource);
  return sources.sort((a, b) => (a.settings.name < b.settings.name ? -1 : 1));
}
