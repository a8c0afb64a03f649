// The sources of a place: how each is configured, and how it is doing.
import { formatDuration } from '../cli/durations.ts';

export interface ListedSource {
  readonly source: string;
  /** Null on one machine, where `watch` is told anew each time, and of a source that is not configured any more. */
  readonly configured: {
    readonly baseUrl: string;
    readonly intervalMs: number;
    readonly baseline: 'silent' | 'emit';
    readonly customerData: boolean;
    /** Where its token is, never the token. */
    readonly token: { readonly secretId: string } | { readonly parameter: string };
  } | null;
  /** Null before its first poll. */
  readonly state: {
    readonly generation: string;
    readonly isHealthy: boolean;
    /** Its tables were restored or copied: it stands still until `sources restore`. */
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
  if (wasRestored) return 'restored, stands still';
  return isHealthy ? 'well' : 'see status';
}

function configuration(configured: ListedSource['configured']): string[] {
  if (configured === null) return ['not configured any more', '', ''];
  const { baseUrl, intervalMs, token } = configured;
  const place = 'secretId' in token ? `secret ${token.secretId}` : `parameter ${token.parameter}`;
  return [`every ${formatDuration(intervalMs)}`, baseUrl, `token in ${place}`];
}
