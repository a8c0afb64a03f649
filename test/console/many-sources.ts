// A console on a data directory with many sources, as a `watch --config` leaves it: most are well, some need attention,
// each has a few events. It is written at once, without polling.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMoments } from '../../local/cli/moments.ts';
import type { ServedFeed } from '../../local/console/console-feed.ts';
import type { Console } from '../../local/console/console-server.ts';
import { openConsole } from '../../local/console/open-console.ts';
import { openDirectory } from '../../local/place/open-directory.ts';
import { openStore } from '../../local/store/open-store.ts';
import { chunked } from '../../shared/in-parallel.ts';
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { aKey, aSave } from '../contract/sample-saves.ts';
import { clockAt } from '../contract/stores.ts';
import { aFailingState, aHeldState, aWellState, NOW } from './scene-states.ts';

const EVENTS = 3;
const FIRST_GROUP = 500;

export interface ManySources {
  readonly console: Console;
  readonly feed: ServedFeed;
  close(): Promise<void>;
}

/** Sources `store-0001` and so on. The 400th is held, every 250th is failing. */
export async function openManySources(count: number): Promise<ManySources> {
  const directory = await mkdtemp(join(tmpdir(), 'many-sources-'));
  await fill(directory, count);
  const open = await openDirectory(directory);
  const moments = createMoments({ zone: 'UTC', now: () => NOW / MILLISECOND });
  const feed = {
    ...open,
    ...{ flags: ' --data state', clock: clockAt(NOW), poller: async () => ({ pid: 1 }) },
    ...{ moments, acts: false, access: { environment: {} } },
  };
  const console = await openConsole(feed, 0);
  return {
    console,
    feed,
    async close() {
      await console.close();
      await open.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function fill(directory: string, count: number): Promise<void> {
  const places = Array.from({ length: count }, (_, place) => place);
  let store = await openStore(directory);
  const mintedIn = await store.states.identity();
  // The store writes together what is saved at the same time.
  await Promise.all(places.map((place) => store.states.save({ ...stateAt(place + 1), mintedIn }, 0)));
  await store.close();
  for (const [ago, some] of chunked(places, Math.ceil(count / 40)).entries()) {
    store = await openStore(directory, { clock: clockAt(NOW - ago * MINUTE) });
    const { snapshots } = store;
    await Promise.all(
      some.map((place) => {
        const key = aKey(FIRST_GROUP + place, stateAt(place + 1));
        return snapshots.save(key, aSave(key, undefined, EVENTS));
      }),
    );
    await store.close();
  }
}

function stateAt(number: number): SourceState {
  const source = `store-${String(number).padStart(4, '0')}`;
  if (number === 400) return aHeldState(source);
  return number % 250 === 0 ? aFailingState(source) : aWellState(source);
}
