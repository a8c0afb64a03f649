// Lists all sources that are configured below a path.
import { GetParametersByPathCommand } from '@aws-sdk/client-ssm';
import {
  parseStoredSource,
  type SsmSourceDirectoryOptions,
  type StoredSource,
} from './ssm-source-directory.ts';

/** @throws Error that names the invalid parameter and every invalid field */
export async function listStoredSources({
  client,
  path,
}: SsmSourceDirectoryOptions): Promise<StoredSource[]> {
  const sources: StoredSource[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(new GetParametersByPathCommand({ Path: path, NextToken }));
    for (const { Name = '', Value } of page.Parameters ?? []) sources.push(parseStoredSource(Name, Value));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return sources.sort((a, b) => (a.settings.name < b.settings.name ? -1 : 1));
}
