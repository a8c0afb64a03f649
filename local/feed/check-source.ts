// What `watch` checks of a data directory before it polls: that the source's state comes from the same address, and
// which other sources are not watched meanwhile.
import type { Log } from '../../shared/ports.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import { UsageError } from '../cli/failures.ts';
import type { LocalStore } from '../store/open-store.ts';

export interface CheckedSource {
  readonly settings: SourceSettings;
  /** Whether the source may have another address than in its state. */
  readonly isMoved: boolean;
  readonly dataDir: string;
}

/** Logs which sources of the directory are not watched. @throws UsageError if the source's address is another one */
export async function checkSource(
  { states, sources }: Pick<LocalStore, 'states' | 'sources'>,
  { settings: { name, baseUrl }, isMoved, dataDir }: CheckedSource,
  log: Log,
): Promise<void> {
  const state = await states.load(name);
  // An address that never showed anything was mistyped: another one may replace it.
  const isRead = state?.seenWith !== undefined || state?.position.newest !== undefined;
  if (isRead && state.baseUrl !== undefined && state.baseUrl !== baseUrl && !isMoved)
    throw new UsageError(
      `The state of source "${name}" in ${dataDir} was read from ${state.baseUrl}, not from ${baseUrl}. If the same store ` +
        'has moved there, add --moved. For another store, use another --source or another --data.',
    );
  const others = (await sources()).filter((other) => other !== name);
  if (others.length > 0) log.warn(describeOthers(others, dataDir));
}

function describeOthers(others: readonly string[], dataDir: string): string {
  const isOne = others.length === 1;
  return (
    `${dataDir} also holds ${isOne ? 'source' : 'sources'} ${others.join(', ')}, which this command does not watch. A ` +
    'directory serves one watch at a time: to watch several sources at once, give each a directory of its own.'
  );
}
