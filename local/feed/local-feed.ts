// The whole feed in one process: a poller that saves into the stores of a data directory, and what hands the saved
// events over: the output, and a webhook sender for each URL of --forward-to. Each save wakes them.
import { setImmediate } from 'node:timers/promises';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import { WATCH_MARK } from '../../shared/deployment/destinations.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { isLoopback } from '../../shared/returns-service/base-url.ts';
import { createPresentGeneration } from '../../shared/source/present-generation.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import { shellWord } from '../cli/shell-word.ts';
import { shownUrl } from '../cli/shown-url.ts';
import type { GivenOption } from '../store/documents.ts';
import { type LocalStore, openStore } from '../store/open-store.ts';
import { lockForWatch } from '../store/watch-lock.ts';
import { checkSource } from './check-source.ts';
import { createFeedFailure } from './feed-failure.ts';
import { findForwardSecret } from './forward-secret.ts';
import { type Forwarder, type ForwardTarget, startForwarder } from './forwarder.ts';
import { noteForwards, noteOptions } from './note-start.ts';
import { createOutputRelay } from './output-relay.ts';
import { openSourceTicks } from './source-ticks.ts';

export interface LocalFeedOptions {
  readonly settings: SourceSettings;
  readonly token: string;
  /** The directory of the state; undefined if none is kept. */
  readonly dataDir: string | undefined;
  /** Whether the source may have another address than in its state. @default false */
  readonly isMoved?: boolean | undefined;
  /** The options of the command line, for the directory to remember. @default they are not noted */
  readonly given?: readonly GivenOption[] | undefined;
  readonly log: Log;
  readonly onProgress: (report: TickReport) => void;
  /** Called with each event, each return's in order. The event counts as handed over once this resolves. */
  readonly onEvent: (event: FeedEvent) => Promise<void>;
  /** The URLs that get each event as well. */
  readonly forwarding?: ForwardingOptions | undefined;
}

export interface ForwardingOptions extends Pick<ForwardTarget, 'filter' | 'contentType' | 'onAttempt'> {
  readonly urls: readonly URL[];
  /** A signing secret as text. @default the one that the data directory keeps */
  readonly secret: string | undefined;
}

export interface LocalFeed {
  /** Whether the source has no state yet. */
  readonly isNew: boolean;
  /** Runs a tick. */
  tick(): Promise<TickReport>;
  /** Rejects if the feed can't go on, also between two ticks. */
  readonly failed: Promise<never>;
  /** Ends a running tick as soon as the groups it has read are saved. */
  stopPolling(): void;
  /** Resolves once all saved events are handed over, and were posted to the URLs as far as they accept them. */
  handOver(): Promise<void>;
  /** Ends everything, and releases the directory. */
  close(): Promise<void>;
}

/**
 * Opens the stores and starts the feed; nothing is polled before the first tick.
 *
 * @throws StoreError if the directory can't be used, or another process watches with it; UsageError if the source's
 *   state was read from another address
 */
export async function startLocalFeed(given: LocalFeedOptions): Promise<LocalFeed> {
  const { dataDir, settings, isMoved = false } = given;
  const failure = createFeedFailure();
  const options = { ...given, log: failure.watch(given.log), clock: createSystemClock() };
  const stopping = new AbortController();
  /** Undoes each step, latest first. */
  const undo: (() => unknown)[] = [];
  const close = async () => {
    stopping.abort();
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const lock = dataDir === undefined ? undefined : await lockForWatch(dataDir);
    if (lock !== undefined) undo.push(lock.release);
    const store = await openStore(dataDir, { lock, onWait: options.log.warn });
    undo.push(store.close);
    for (const notice of store.notices) options.log.warn(notice);
    if (dataDir !== undefined) await checkSource(store, { settings, isMoved, dataDir }, options.log);
    if (dataDir !== undefined && given.given !== undefined)
      await noteOptions(store, settings.name, given.given, options.log);
    const ticks = await openSourceTicks({
      ...store,
      ...options,
      store: store.snapshots,
      place: dataDir === undefined ? undefined : ` --data ${shellWord(dataDir)}`,
      signal: stopping.signal,
    });
    undo.push(ticks.close);
    const publishing = await startPublishing(store, options);
    undo.push(publishing.stop);
    return {
      isNew: ticks.isNew,
      tick: () => Promise.race([ticks.run(), failure.failed]).catch(failure.explain),
      failed: failure.failed,
      stopPolling: () => stopping.abort(),
      handOver: publishing.handOver,
      close,
    };
  } catch (error) {
    await close();
    return failure.explain(error);
  }
}

async function startPublishing(store: LocalStore, options: LocalFeedOptions & { readonly clock: Clock }) {
  const { log, dataDir, onEvent } = options;
  const ports = {
    ...{ ledger: store.ledger, marks: store.marks, endpoints: store.endpoints, clock: options.clock },
    presentGeneration: createPresentGeneration(store.states),
    // The printed events already show what is handed over.
    log: { ...log, info: log.debug },
    random: Math.random,
  };
  const output = createOutputRelay({
    ...ports,
    // The others about the feed itself are in its log.
    admits: ({ type }) => type === 'feed.events_skipped' || !type.startsWith(`${FEED_GROUP}.`),
    destination: {
      name: WATCH_MARK,
      async send(events) {
        for (const event of events) await onEvent(event);
        return events.map(() => ({ sent: true }));
      },
    },
  });
  if (dataDir !== undefined) await noteForwards(store, options.forwarding, dataDir, log);
  const forwarders = await startForwarders(options, ports);
  const unlisten = store.onCommit(({ groups, isForeign }) => {
    output.wake(groups.map(({ key }) => key));
    for (const forwarder of forwarders) forwarder.ring(groups);
    if (!isForeign) return;
    output.retryStopped();
    for (const forwarder of forwarders) void forwarder.retryReleased();
  });
  if (dataDir !== undefined) {
    const onError = (error: unknown) =>
      log.error('What was left of an earlier run is not handed over yet.', { error: error as Error });
    output.sweep().catch(onError);
    for (const forwarder of forwarders) forwarder.catchUp().catch(onError);
  }
  return {
    async handOver(): Promise<void> {
      // The last commit may not be reported yet.
      await setImmediate();
      await output.idle();
      await Promise.all(forwarders.map((forwarder) => forwarder.finish()));
    },
    async stop(): Promise<void> {
      unlisten();
      await Promise.all([output.stop(), ...forwarders.map((forwarder) => forwarder.stop())]);
    },
  };
}

async function startForwarders(
  { forwarding, dataDir, log }: LocalFeedOptions,
  ports: Parameters<typeof startForwarder>[1],
): Promise<Forwarder[]> {
  if (forwarding === undefined || forwarding.urls.length === 0) return [];
  const { urls, ...target } = forwarding;
  const secret = target.secret ?? (await findForwardSecret(dataDir));
  const shown = urls.map(shownUrl).join(', ');
  const secretFrom = describeSecret(target.secret, dataDir);
  log.info(`forwarding to ${shown}. ${secretFrom}`);
  const open = urls.filter(({ protocol, hostname }) => protocol === 'http:' && !isLoopback(hostname));
  if (open.length > 0)
    log.warn(
      `Posts to ${open.map(shownUrl).join(', ')} are not encrypted: anyone on the way can read them. Use https outside of your own network.`,
    );
  return Promise.all(urls.map((url) => startForwarder({ ...target, url, secret, secretFrom }, ports)));
}

/** In a sentence, and never the secret itself. */
function describeSecret(given: string | undefined, dataDir: string | undefined): string {
  if (given !== undefined) return 'The signing secret is the given one.';
  if (dataDir === undefined)
    return 'No receiver can know the signing secret of this run: give one with --forward-secret FILE.';
  return `The signing secret: npx --no returns-feed webhooks secret --data ${shellWord(dataDir)}`;
}
