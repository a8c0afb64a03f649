// The feed of one process: the stores of a data directory, the sources that are polled into them, and what hands the
// saved events over. Each save wakes the latter.
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { shareOfMemory } from '../../shared/comparing/memory.ts';
import type { Log } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { shellWord } from '../cli/shell-word.ts';
import { takeTurns } from '../http/take-turns.ts';
import { type LocalStore, openStore } from '../store/open-store.ts';
import { lockForWatch } from '../store/watch-lock.ts';
import { checkAddress } from './check-source.ts';
import { createFeedFailure } from './feed-failure.ts';
import { noteOptions, noteRemoved } from './note-start.ts';
import { createPublishing, type FeedOutput } from './publishing.ts';
import { openSourceTicks, type SourceTicks } from './source-ticks.ts';
import type { Receiver, WatchedSource } from './watch-plan.ts';

interface Reporting {
  readonly log: Log;
  /** Called during long work. */
  readonly onProgress: (report: TickReport) => void;
}

export interface LocalFeed {
  /**
   * Opens a source; nothing is polled before its first tick.
   *
   * @throws UsageError if its state was read from another address
   */
  openSource(source: WatchedSource, reporting: Reporting): Promise<SourceTicks>;
  /** The stores, for other parts of the process. */
  readonly store: LocalStore;
  /** The sources whose state the directory has, sorted. */
  knownSources(): Promise<readonly string[]>;
  /** Notes for `status` that sources are left out on purpose. */
  leaveOut(sources: readonly string[]): Promise<void>;
  /** Posts each event to these URLs as well, from now on; others get none any more. */
  forwardTo(receivers: readonly Receiver[]): Promise<void>;
  /** Hands over what earlier runs left unsent. Returns at once. */
  catchUp(): void;
  /** Aborted if the feed can't go on; running ticks end. */
  readonly failing: AbortSignal;
  /** Rejects then. */
  readonly failed: Promise<never>;
  /** Resolves once all saved events are handed over, and were posted to the URLs as far as they accept them. */
  handOver(): Promise<void>;
  /** Ends everything, and releases the directory. */
  close(): Promise<void>;
}

/** Requests of all sources that are under way at once; a service that hangs keeps few of them. */
const REQUESTS_AT_ONCE = 256;

/** @throws StoreError if the directory can't be used, or another process watches with it */
export async function openLocalFeed(options: FeedOutput): Promise<LocalFeed> {
  const { dataDir } = options;
  const failure = createFeedFailure();
  const log = failure.watch(options.log);
  const clock = createSystemClock();
  /** Undoes each step, latest first. */
  const undo: (() => unknown)[] = [];
  const open = new Set<SourceTicks>();
  failure.signal.addEventListener('abort', () => {
    for (const ticks of open) ticks.stopPolling();
  });
  const close = async () => {
    await Promise.all([...open].map((ticks) => ticks.close()));
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const lock = dataDir === undefined ? undefined : await lockForWatch(dataDir);
    if (lock !== undefined) undo.push(lock.release);
    const store = await openStore(dataDir, { lock, onWait: log.warn });
    undo.push(store.close);
    for (const notice of store.notices) log.warn(notice);
    const transport = createHttpsTransport();
    undo.push(transport.close);
    const inTurn = takeTurns(REQUESTS_AT_ONCE, Number.POSITIVE_INFINITY);
    const publishing = createPublishing(store, { ...options, log, clock });
    undo.push(publishing.stop);
    return {
      async openSource(source, reporting) {
        const sourceLog = failure.watch(reporting.log);
        if (dataDir !== undefined) await checkAddress(store, source, dataDir);
        if (dataDir !== undefined && source.given !== undefined)
          await noteOptions(store, source.settings.name, source.given, sourceLog);
        const ticks = await openSourceTicks({
          ...store,
          ...source,
          ...{
            clock,
            log: sourceLog,
            transport: (request) => inTurn(() => transport(request)),
            onProgress: reporting.onProgress,
          },
          store: store.snapshots,
          place: dataDir === undefined ? undefined : ` --data ${shellWord(dataDir)}`,
          mostRemembered: () => shareOfMemory(open.size),
        });
        open.add(ticks);
        return {
          ...ticks,
          tick: () => ticks.tick().catch(failure.explain),
          async close() {
            await ticks.close();
            open.delete(ticks);
          },
        };
      },
      store,
      knownSources: store.sources,
      async leaveOut(sources) {
        for (const name of sources) await noteRemoved(store, name);
      },
      forwardTo: publishing.forwardTo,
      catchUp: publishing.catchUp,
      failing: failure.signal,
      failed: failure.failed,
      handOver: publishing.handOver,
      close,
    };
  } catch (error) {
    await close();
    return failure.explain(error);
  }
}
