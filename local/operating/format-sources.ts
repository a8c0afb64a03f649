// Formats the list of sources: the state and the configuration of each.
import { formatDuration } from '../cli/durations.ts';

export interface ListedSource {
  readonly source: string;
  /** Null on one machine, where each `watch` gets its own options, and for a source that is no longer configured. */
  readonly configured: {
    readonly baseUrl: string;
    readonly intervalMs: number;
    readonly baseline: 'silent' | 'emit';
    readonly customerData: boolean;
    /** Where the token is kept; never the token itself. */
    readonly token: { readonly secretId: string } | { readonly parameter: string };
  } | null;
  /** Null before the first poll. */
  readonly state: {
    readonly generation: string;
    readonly isHealthy: boolean;
    /** Whether its tables were restored or copied: the source is stopped until `sources restore`. */
    readonly wasRestored: boolean;
  } | null;
}

/** One line each, columns aligned. */
export function formatSources(sources: readonly ListedSource[], isLocal: boolean): string[] {
  const rows = sources.map(({ source, configured, state }) => [
    source,
    state === null ? 'not polled yet' : condition(state),
    state === null ? '' : `generation ${state.generation}`,
    ...(isLocal ? [] : configuration(configured)),
  ]);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
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
