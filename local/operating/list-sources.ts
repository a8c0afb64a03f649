// Lists the sources: those that are configured, and those that have a stored state. Usually these are the same.
import { MILLISECOND } from '../../shared/instant.ts';
import type { ListedSource } from './format-sources.ts';
import type { OpenStates } from './open-states.ts';
import { describeSource } from './source-status.ts';
import { withClient } from './with-client.ts';

/** All sources, by name. @param now milliseconds since the epoch. @throws the stores' errors */
export async function listAllSources(open: OpenStates, now: number): Promise<ListedSource[]> {
  const [configured, known] = await Promise.all([configuredSources(open), open.sources(undefined)]);
  const names = [...new Set([...configured.keys(), ...known])].sort();
  const place = await open.states.identity();
  return Promise.all(
    names.map(async (source) => {
      const state = known.includes(source) ? await open.states.load(source) : undefined;
      return {
        source,
        configured: configured.get(source) ?? null,
        state:
          state === undefined
            ? null
            : {
                generation: state.generation,
                isHealthy: describeSource(state, { now: now * MILLISECOND, flags: open.flags }).isHealthy,
                wasRestored: state.mintedIn !== place,
              },
      };
    }),
  );
}

/** Empty for a deployment whose SourcesPath is not named: then only states are listed. */
async function configuredSources({
  deployment: { sourcesPath },
  isLocal,
}: OpenStates): Promise<Map<string, NonNullable<ListedSource['configured']>>> {
  if (isLocal || sourcesPath === undefined) return new Map();
  const { SSMClient } = await import('@aws-sdk/client-ssm');
  const { listStoredSources } = await import('../../functions/adapters/ssm-source-directory.ts');
  const stored = await withClient(new SSMClient(), (client) =>
    listStoredSources({ client, path: sourcesPath }),
  );
  return new Map(
    stored.map(({ settings: { name, baseUrl, intervalMs, baseline, customerData }, token }) => [
      name,
      { baseUrl, intervalMs, baseline, customerData, token },
    ]),
  );
}
