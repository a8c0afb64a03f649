// Lists the sources: those that are configured, and those that have a stored state. Usually these are the same.
// As text they have one line each.
import type { DirectoryEntry, InvalidEntry } from '../../functions/adapters/dynamodb-source-directory.ts';
import { formatDuration } from '../cli/durations.ts';
import { toWords } from '../cli/given-options.ts';
import { alignColumns } from '../cli/layout.ts';
import type { OpenFeed } from '../place/open-feed.ts';
import { loadStatuses } from '../status/load-overview.ts';
import { type Verdict, WORST_FIRST } from '../status/source-status.ts';

/** `new`: it has no state, so it was never polled. */
export const LISTED_STATES = ['new', ...WORST_FIRST] as const;

export interface SourceFilter {
  /** A part of the name or of the address. */
  readonly text?: string | undefined;
  readonly state?: Verdict | 'new' | undefined;
  /** Only names behind this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

type ListedSource = Awaited<ReturnType<typeof listSources>>['sources'][number];

/**
 * The sources by name, at most `limit` of them.
 *
 * @param now milliseconds since the epoch
 * @returns `next`: whether more follow, behind this name
 */
export async function listSources(feed: OpenFeed, now: number, filter: SourceFilter) {
  const { text = '', state, after = '', limit } = filter;
  const [configured, known] = await Promise.all([feed.configured(), feed.sources(undefined)]);
  const names = [...new Set([...(configured?.keys() ?? []), ...known])].sort().filter((name) => {
    const entry = configured?.get(name);
    const texts = [name, entry !== undefined && 'settings' in entry ? entry.settings.baseUrl : ''];
    return name > after && texts.some((each) => each.toLowerCase().includes(text.toLowerCase()));
  });
  const place = await feed.states.identity();
  // Without a state to match, only those of this part are read.
  const toRead = state === undefined ? names.slice(0, limit) : names;
  const statuses = await loadStatuses(feed, toRead, { now, place, configured });
  const byName = new Map(statuses.map((each) => [each.state.source, each]));
  const matching = names.filter((name) => state === undefined || state === stateOf(byName.get(name)));
  const shown = matching.slice(0, limit);
  const sources = shown.map((source) => {
    const found = byName.get(source);
    const entry = configured?.get(source);
    return {
      source,
      /** As in `status`. */
      state: stateOf(found),
      /** Null on one machine, and for a source that is no longer configured. */
      configured: entry === undefined ? null : configurationOf(entry),
      /** The options of the last `watch`, on one machine; null if they are not known. */
      watched: found?.start?.options ?? null,
      /** Null before the first poll. */
      generation: found?.state.generation ?? null,
      /** Whether its tables were restored or copied: the source is stopped until `sources restore`. */
      wasRestored: found !== undefined && found.state.mintedIn !== place,
    };
  });
  return { sources, next: matching.length > shown.length ? (shown.at(-1) ?? null) : null };
}

function stateOf(found: Awaited<ReturnType<typeof loadStatuses>>[number] | undefined) {
  return found?.status.verdict ?? 'new';
}

function configurationOf({ declaredBy, isPaused, ...entry }: DirectoryEntry | InvalidEntry) {
  const about = { declaredBy, isPaused };
  if ('problem' in entry) return { ...about, problem: entry.problem };
  const { baseUrl, intervalMs, baseline, customerData } = entry.settings;
  // Where the token is kept; never the token itself, not even encrypted.
  const token = 'encrypted' in entry.token ? ('encrypted' as const) : entry.token;
  return { ...about, baseUrl, intervalMs, baseline, customerData, token };
}

/** One line each, columns aligned. */
export function formatSources(sources: readonly ListedSource[], isLocal: boolean): string[] {
  return alignColumns(
    sources.map(({ source, state, configured, watched, generation, wasRestored }) => [
      source,
      wasRestored ? 'restored, stopped' : state === 'new' ? 'not polled yet' : state,
      generation === null ? '' : `generation ${generation}`,
      ...(isLocal
        ? [watched === null ? '' : `watch${toWords(watched).options}`]
        : formatConfiguration(configured)),
    ]),
  );
}

function formatConfiguration(configured: ListedSource['configured']): string[] {
  if (configured === null) return ['no longer configured', '', ''];
  if ('problem' in configured) return [`can't be used: ${configured.problem}`, '', ''];
  const { declaredBy, baseUrl, intervalMs, token } = configured;
  const place =
    token === 'encrypted'
      ? 'the entry'
      : 'secretId' in token
        ? `secret ${token.secretId}`
        : `parameter ${token.parameter}`;
  const owner = declaredBy === 'stack' ? ', declared by the stack' : '';
  return [`every ${formatDuration(intervalMs)}`, baseUrl, `token in ${place}${owner}`];
}
