// A feed on this machine: the stores of its data directory, which a running `watch` writes at the same time.
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { type DestinationTraits, WATCH_MARK } from '../../shared/deployment/destinations.ts';
import { createPresentGeneration } from '../../shared/source/present-generation.ts';
import { shellWord } from '../cli/shell-word.ts';
import { checkReadable, filesOf, isWritable } from '../store/data-directory.ts';
import { type LocalStore, openStore, openStoreToRead } from '../store/open-store.ts';
import { watchHolder } from '../store/watch-lock.ts';
import { type FeedLists, findSources, labelsOfForwarded, type OpenFeed, openStderrLog } from './open-feed.ts';
import { listSkipped } from './read-ledger.ts';
import { openAccessFromHere } from './service-access.ts';

const OUTPUT: DestinationTraits = {
  name: WATCH_MARK,
  mark: WATCH_MARK,
  title: 'the output of watch',
  getsReports: false,
};

/**
 * How a command opens a directory: `to read` changes nothing there; `if possible` may write, for instance that it asks the
 * service, but does without where nothing can be written.
 */
export type Opening = 'to read' | 'to write' | 'if possible';

/** @throws StoreError if no `watch` ever ran with this directory, or it can't be used */
export async function openKnownStore(
  path: string,
  opening: Opening = 'to write',
  onWait?: (message: string) => void,
): Promise<LocalStore> {
  const { database } = filesOf(path);
  await checkReadable(database);
  const isRead = opening === 'to read' || (opening === 'if possible' && !(await isWritable(database)));
  return isRead ? openStoreToRead(path) : openStore(path, { onWait });
}

/** @throws as {@link openKnownStore} */
export async function openDirectory(path: string, opening: Opening = 'to write'): Promise<OpenFeed> {
  const [clock, log] = [createSystemClock(), openStderrLog()];
  const { snapshots, sources, mark, unsent, behind, candidates, formerly, forwards, starts, ...store } =
    await openKnownStore(path, opening, log.warn);
  for (const notice of store.notices) log.warn(notice);
  const lists: FeedLists = {
    ...{ sources, mark, unsent, behind, candidates, formerly },
    skipped: (key) => listSkipped(store.ledger, key),
  };
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
    lastStart: starts.load,
    configured: async () => undefined,
    async statesOf(sources) {
      const loaded = await Promise.all(sources.map((source) => store.states.load(source)));
      return loaded.filter((state) => state !== undefined);
    },
    openAccess: (options) => openAccessFromHere({ ...store, clock, log }, options),
    async poller() {
      const holder = await watchHolder(path);
      if (holder === undefined) return null;
      return holder.pid === undefined ? undefined : { pid: holder.pid };
    },
  };
}
