// Opens the feed that a command's flags name: in a data directory, or a deployment.
import { UsageError } from '../cli/failures.ts';
import type { OpenFeed, PlaceFlags } from './open-feed.ts';

/**
 * Runs work on the named feed, and closes it even if the work fails.
 *
 * @throws UsageError if no place is named, Error if the named place does not exist
 */
export async function withFeed<Result>(
  { data, stack }: PlaceFlags,
  work: (feed: OpenFeed) => Promise<Result>,
): Promise<Result> {
  if (data !== undefined && stack !== undefined) throw new UsageError('Give --data or --stack, not both.');
  const feed = await (data === undefined ? openNamedDeployment(stack) : openNamedDirectory(data));
  return work(feed).finally(feed.close);
}

// Each place loads the libraries of its own stores alone.
async function openNamedDirectory(path: string): Promise<OpenFeed> {
  const { openDirectory } = await import('./open-directory.ts');
  return openDirectory(path);
}

async function openNamedDeployment(stack: string | undefined): Promise<OpenFeed> {
  const { openDeployment } = await import('./open-deployment.ts');
  return openDeployment(stack);
}
