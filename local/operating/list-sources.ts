// Lists the sources: those that are configured, and those that have a stored state. Usually these are the same.
// As text they have one line each.
import { sourcePaths } from '../../shared/deployment/token-names.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import { formatDuration } from '../cli/durations.ts';
import { toWords } from '../cli/given-options.ts';
import { alignColumns } from '../cli/layout.ts';
import { withClient } from './find-deployment.ts';
import type { OpenFeed } from './open-feed.ts';
import { describeSource } from './source-status.ts';

type ListedSource = Awaited<ReturnType<typeof listAllSources>>[number];

/** All sources, by name. @param now milliseconds since the epoch. @throws the stores' errors */
export async function listAllSources(feed: OpenFeed, now: number) {
  const [configured = new Map(), known] = await Promise.all([
    configuredSources(feed),
    feed.sources(undefined),
  ]);
  const names = [...new Set([...configured.keys(), ...known])].sort();
  const place = await feed.states.identity();
  return Promise.all(
    names.map(async (source) => {
      const state = known.includes(source) ? await feed.states.load(source) : undefined;
      return {
        source,
        /** Null on one machine, and for a source that is no longer configured. */
        configured: configured.get(source) ?? null,
        /** The options of the last `watch`, on one machine; null if they are not known. */
        watched: (await feed.lastStart(source))?.options ?? null,
        /** Null before the first poll. */
        state:
          state === undefined
            ? null
            : {
                generation: state.generation,
                isHealthy: describeSource(state, { now: now * MILLISECOND, flags: feed.flags }).isHealthy,
                /** Whether its tables were restored or copied: the source is stopped until `sources restore`. */
                wasRestored: state.mintedIn !== place,
              },
      };
    }),
  );
}

/** By name; undefined where no path of settings is named, as on one machine. */
export async function configuredSources({ deployment }: Pick<OpenFeed, 'deployment'>) {
  if (deployment?.feedName === undefined) return undefined;
  const stored = await readConfigured(sourcePaths(deployment.feedName).added);
  return new Map(
    stored.map(({ settings: { name, baseUrl, intervalMs, baseline, customerData }, token }) => [
      name,
      // Where the token is kept; never the token itself.
      { baseUrl, intervalMs, baseline, customerData, token },
    ]),
  );
}

async function readConfigured(path: string) {
  const { SSMClient } = await import('@aws-sdk/client-ssm');
  const { listStoredSources } = await import('../../functions/adapters/ssm-source-directory.ts');
  return withClient(new SSMClient(), (client) => listStoredSources({ client, path }));
}

/** One line each, columns aligned. */
export function formatSources(sources: readonly ListedSource[], isLocal: boolean): string[] {
  const rows = sources.map(({ source, configured, watched, state }) => [
    source,
    state === null ? 'not polled yet' : condition(state),
    state === null ? '' : `generation ${state.generation}`,
    ...(isLocal ? [watched === null ? '' : `watch${toWords(watched).options}`] : configuration(configured)),
  ]);
  return alignColumns(rows);
}

function condition({ isHealthy, wasRestored }: NonNullable<ListedSource['state']>): string {
  if (wasRestored) return 'restored, stopped';
  return isHealthy ? 'well' : 'see status';
}

function configuration(configured: ListedSource['configured']): string[] {
  if (configured === null) return ['no longer configured', '', ''];
  const { baseUrl, intervalMs, token } = configured;
  const place = 'secretId' in token ? `secret ${token.secretId}` : `parameter ${token.parameter}`;
  return [`every ${formatDuration(intervalMs)}`, baseUrl, `token in ${place}`];
}
