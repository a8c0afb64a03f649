// Where sources are configured: one parameter per source below a common path. It holds the source's settings as JSON
// and the place of its token, never the token itself.
import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import * as z from 'zod';
import { type SourceSettings, sourceSettings } from '../../shared/source/source-settings.ts';

/** A secret of Secrets Manager, or a SecureString of SSM. */
export const tokenPlace = z.union([
  z.object({ secretId: z.string().min(1) }).strict(),
  z.object({ parameter: z.string().min(1) }).strict(),
]);

export type TokenPlace = z.output<typeof tokenPlace>;

const storedSource = z.object({ settings: sourceSettings, token: tokenPlace });

export interface StoredSource {
  readonly settings: SourceSettings;
  readonly token: TokenPlace;
}

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
    return parseStoredSource(name, Parameter?.Value);
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}

/** @throws Error that names the parameter and every field of it that is wrong */
export function parseStoredSource(name: string, text: string | undefined): StoredSource {
  const parsed = storedSource.safeParse(parseJson(text, name));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path: place, message }) => `${place.join('.')}: ${message}`);
  throw new Error(`The parameter ${name} does not describe a source. ${problems.join('; ')}.`);
}

function parseJson(text: string | undefined, name: string): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new Error(`The parameter ${name} does not hold JSON.`);
  }
}
