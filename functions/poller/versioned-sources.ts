// A warm process's cache of its sources, by the versions of their entries, which the dispatcher names in its messages: so
// a changed entry counts from the next minute on, and an unchanged one is not read again at each poll.
import type { ConfiguredSource, SourceAccess } from './source-sessions.ts';

/** Those of the last few minutes; a shard has other sources each minute. */
const MOST_SOURCES = 1_000;

/** Failures and missing sources are not cached, nor is what is asked for without a version. */
export function createVersionedSources(
  find: (name: string) => Promise<ConfiguredSource | undefined>,
): SourceAccess['findSource'] {
  const found = new Map<string, { readonly version: number; readonly source: ConfiguredSource }>();
  return async (name, version) => {
    const known = found.get(name);
    if (known !== undefined && known.version === version) return known.source;
    found.delete(name);
    const source = await find(name);
    if (source === undefined || version === undefined) return source;
    found.set(name, { version, source });
    const [oldest] = found.keys();
    if (found.size > MOST_SOURCES && oldest !== undefined) found.delete(oldest);
    return source;
  };
}
