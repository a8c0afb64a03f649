// A warm process's cache of its sources' settings. Ticks may come every two seconds, and Parameter Store answers only
// 40 requests a second for the whole account.
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import type { ConfiguredSource } from './source-sessions.ts';

/** A little less than a minute, so that the first tick of each minute reads the settings. */
export const SOURCE_IS_RECENT_MS = 50_000;

/**
 * Finds a source's settings, at most 50 seconds old. Failures and missing sources are not cached. A second read of the
 * token means that its answers are in doubt: it was refused, a request failed, or the source must be proved. The token
 * may have moved, so the next tick reads the settings again.
 */
export function createRecentSources(
  clock: Pick<Clock, 'elapsed'>,
  find: (name: string) => Promise<ConfiguredSource | undefined>,
): (name: string) => Promise<ConfiguredSource | undefined> {
  const known = new Map<string, { readonly source: ConfiguredSource; readonly foundAt: number }>();
  return async (name) => {
    const recent = known.get(name);
    if (recent && clock.elapsed() - recent.foundAt < SOURCE_IS_RECENT_MS * MILLISECOND) return recent.source;
    known.delete(name);
    const foundAt = clock.elapsed();
    const found = await find(name);
    if (found === undefined) return undefined;
    const { settings, secret } = found;
    let reads = 0;
    const read = () => {
      reads += 1;
      if (reads > 1) known.delete(name);
      return secret.read();
    };
    const source = { settings, secret: { ...secret, read } };
    known.set(name, { source, foundAt });
    return source;
  };
}
