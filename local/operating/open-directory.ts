// A feed on this machine: the stores of its data directory, which a running `watch` writes at the same time.
import { existsSync } from 'node:fs';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { type DestinationTraits, WATCH_MARK } from '../../shared/deployment/destinations.ts';
import { createPresentGeneration } from '../../shared/source/present-generation.ts';
import { shellWord } from '../cli/shell-word.ts';
import { filesOf } from '../store/data-directory.ts';
import { type LocalStore, openStore } from '../store/open-store.ts';
import { watchHolder } from '../store/watch-lock.ts';
import { type FeedLists, findSources, labelsOfForwarded, type OpenFeed, openStderrLog } from './open-feed.ts';
import { openAccessFromHere } from './service-access.ts';

const OUTPUT: DestinationTraits = {
  name: WATCH_MARK,
  mark: WATCH_MARK,
  title: 'the output of watch',
  getsReports: false,
};

/** @throws Error if no `watch` ever ran with this directory; StoreError if it can't be used */
export async function openKnownStore(path: string, onWait?: (message: string) => void): Promise<LocalStore> {
  if (existsSync(filesOf(path).database)) return openStore(path, { onWait });
  throw new Error(`There is no state in ${path}: no "watch" ever ran with --data ${path}.`);
}

/** @throws as {@link openKnownStore} */
export async function openDirectory(path: string): Promise<OpenFeed> {
  const [clock, log] = [createSystemClock(), openStderrLog()];
  const { snapshots, sources, mark, markNumbers, behind, candidates, forwards, ...store } =
    await openKnownStore(path, log.warn);
  for (const notice of store.notices) log.warn(notice);
  const lists: FeedLists = { sources, mark, lastSent: markNumbers, behind, candidates };
  return {
    ...store,
    flags: ` --data ${shellWord(path)}`,
    deployment: undefined,
    clock,
    log,
    store: snapshots,
    presentGeneration: createPresentGeneration(store.states),
    lists,
    destinations: [OUTPUT],
    webhooks: async () => (await forwards.list()).map(labelsOfForwarded),
    ...findSources(lists, store.states),
    openAccess: (options) => openAccessFromHere({ ...store, clock, log }, options),
    async poller() {
      const holder = await watchHolder(path);
      if (holder === undefined) return null;
      return holder.pid === undefined ? undefined : { pid: holder.pid };
    },
  };
}
