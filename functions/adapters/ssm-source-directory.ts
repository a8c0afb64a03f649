// Where sources are configured: one parameter per source. It holds the source's settings as JSON and the place of its
// token, never the token itself. The stack's sources have a path that only the stack writes. All others were added, by
// whoever may write there: their tokens must be those of their address.
import type { SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { serviceOf, sourcePaths } from '../../shared/deployment/token-names.ts';
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
  /** The path of added sources without a trailing slash, for instance `/returns-feed/sources`. */
  readonly path: string;
}

/** @throws Error that names the parameter and every invalid field */
export function parseStoredSource(name: string, text: string): StoredSource {
  return parseParameter(storedSource, 'a source', name, text);
}

/** All sources that are configured, by name. @throws Error that names the invalid parameter and field */
export async function listStoredSources({
  client,
  path,
}: SsmSourceDirectoryOptions): Promise<StoredSource[]> {
  const { ofStack } = sourcePaths(serviceOf(path));
  const [own, added] = await Promise.all(
    [ofStack, path].map((each) => listParameters(client, each, parseStoredSource)),
  );
  // The stack's come last, and so replace added ones of the same name.
  const byName = new Map([...(added ?? []), ...(own ?? [])].map((each) => [each.settings.name, each]));
  return [...byName.values()].sort((a, b) => (a.settings.name < b.settings.name ? -1 : 1));
}
