// What `watch` checks of a data directory before it polls: that a source's state comes from the same address, and which
// other sources are not watched meanwhile.
import { UsageError } from '../cli/failures.ts';
import type { LocalStore } from '../store/open-store.ts';
import type { WatchedSource } from './watch-plan.ts';

/** @throws UsageError if the source's address is another one than in its state */
export async function checkAddress(
  { states }: Pick<LocalStore, 'states'>,
  { settings: { name, baseUrl }, isMoved = false }: WatchedSource,
  dataDir: string,
): Promise<void> {
  const state = await states.load(name);
  // An address that never showed anything was mistyped: another one may replace it.
  const isRead = state?.seenWith !== undefined || state?.position.newest !== undefined;
  if (isRead && state.baseUrl !== undefined && state.baseUrl !== baseUrl && !isMoved)
    throw new UsageError(
      `The state of source "${name}" in ${dataDir} was read from ${state.baseUrl}, not from ${baseUrl}. If the same store ` +
        'has moved there, add --moved. In a configuration: "moved": true. For another store, use another name or directory.',
    );
}

/** @param others sources with a state in the directory */
export function describeOthers(others: readonly string[], dataDir: string): string {
  const isOne = others.length === 1;
  return (
    `${dataDir} also holds ${isOne ? 'source' : 'sources'} ${others.join(', ')}, which this command does not watch. A ` +
    'directory serves one watch at a time: one that watches several sources has a --config.'
  );
}
