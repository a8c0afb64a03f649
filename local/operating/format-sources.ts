// Formats the list of sources: the state and the configuration of each.
import stringWidth from 'string-width';
import { formatDuration } from '../cli/durations.ts';
import { toWords } from '../cli/given-options.ts';
import { padTo } from '../cli/wrap.ts';
import type { ListedSource } from './list-sources.ts';

/** One line each, columns aligned. */
export function formatSources(sources: readonly ListedSource[], isLocal: boolean): string[] {
  const rows = sources.map(({ source, configured, watched, state }) => [
    source,
    state === null ? 'not polled yet' : condition(state),
    state === null ? '' : `generation ${state.generation}`,
    ...(isLocal ? [watched === null ? '' : `watch${toWords(watched).options}`] : configuration(configured)),
  ]);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((text, column) => padTo(text, widths[column] ?? 0))
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
