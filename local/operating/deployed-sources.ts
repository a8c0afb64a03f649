// The sources of a deployment, to change them.
import { readFileSync } from 'node:fs';
import type { Sources } from '../../functions/sources/open-sources.ts';
import { UsageError } from '../cli/failures.ts';
import { describeStack } from '../cli/place-options.ts';
import { partOf } from '../place/find-deployment.ts';
import { withDeployment } from '../place/open-deployment.ts';
import type { PlaceFlags } from '../place/open-feed.ts';

export const SOURCES_STACK = describeStack(', FEED_NAME and TOKEN_KEY');

/** The text of a file, or of standard input for `-`. */
export function readGiven(path: string): string {
  return readFileSync(path === '-' ? process.stdin.fd : path, 'utf8');
}

/** @throws UsageError for settings that can't be used, Error for all else */
export async function withSources<Result>(
  place: Pick<PlaceFlags, 'stack'>,
  work: (sources: Sources) => Promise<Result>,
): Promise<Result> {
  return withDeployment(place, async ({ client, deployment }) => {
    // Loaded only for these commands.
    const { InvalidSourceError, openSources, UnreadableSourceError } = await import(
      '../../functions/sources/open-sources.ts'
    );
    const { sources: sourcesTable, tokenKey } = deployment;
    const feedName = partOf(deployment, 'feedName');
    const sources = openSources({ dynamoDb: client, sourcesTable, feedName, tokenKey });
    try {
      return await work(sources);
    } catch (error) {
      if (error instanceof InvalidSourceError) throw new UsageError(error.message, { cause: error });
      if (error instanceof UnreadableSourceError)
        throw new Error(`${error.message} --no-try writes it without a try.`, { cause: error });
      throw error;
    } finally {
      sources.close();
    }
  });
}
