// Opens the feed that a command's flags name: in a data directory, or a deployment.
import { UsageError } from '../cli/failures.ts';
import type { Opening } from './open-directory.ts';
import type { OpenFeed, PlaceFlags } from './open-feed.ts';

/**
 * Runs work on the named feed, and closes it even if the work fails.
 *
 * @param opening of a data directory
 * @throws UsageError if no place is named, Error if the named place does not exist
 */
export async function withFeed<Result>(
  { data, stack }: PlaceFlags,
  work: (feed: OpenFeed) => Promise<Result>,
  opening: Opening = 'to write',
): Promise<Result> {
  if (data !== undefined && stack !== undefined) throw new UsageError('Give --data or --stack, not both.');
  const feed = await (data === undefined ? openNamedDeployment(stack) : openNamedDirectory(data, opening));
  return work(feed).finally(feed.close);
}

// Each place loads the libraries of its own stores alone.
async function openNamedDirectory(path: string, opening: Opening): Promise<OpenFeed> {
  const { openDirectory } = await import('./open-directory.ts');
  return openDirectory(path, opening);
}

async function openNamedDeployment(stack: string | undefined): Promise<OpenFeed> {
  const { openDeployment } = await import('./open-deployment.ts');
  return openDeployment(stack);
}
