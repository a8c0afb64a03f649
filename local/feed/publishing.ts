// Hands the saved events over: to the output, and by a webhook sender to each receiver. Each save wakes them.
import { setImmediate } from 'node:timers/promises';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import { WATCH_MARK } from '../../shared/deployment/destinations.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import { isLoopback } from '../../shared/returns-service/base-url.ts';
import { createPresentGeneration } from '../../shared/source/present-generation.ts';
import { shellWord } from '../cli/shell-word.ts';
import { shownUrl } from '../cli/shown-url.ts';
import type { LocalStore } from '../store/open-store.ts';
import { findForwardSecret } from './forward-secret.ts';
import { type Forwarder, type ForwardTarget, startForwarder } from './forwarder.ts';
import { noteForwards } from './note-start.ts';
import { createOutputRelay } from './output-relay.ts';
import type { Receiver } from './watch-plan.ts';

/** Where events and what happens to them go. */
export interface FeedOutput {
  /** The directory of the state; undefined if none is kept. */
  readonly dataDir: string | undefined;
  readonly log: Log;
  /** Called with each event, each return's in order. The event counts as handed over once this resolves. */
  readonly onEvent: (event: FeedEvent) => Promise<void>;
  /** Called after each attempt to post an event to a receiver. */
  readonly onAttempt: ForwardTarget['onAttempt'];
}

export interface PublishingOptions extends FeedOutput {
  readonly clock: Clock;
}

export function createPublishing(store: LocalStore, options: PublishingOptions) {
  const { log, dataDir, onEvent, onAttempt, clock } = options;
  const ports = {
    ...{ ledger: store.ledger, marks: store.marks, endpoints: store.endpoints, clock },
    ...{ snapshots: store.snapshots, behind: store.behind },
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
  /** By what the receiver is: another secret or filter takes another forwarder. */
  const forwarders = new Map<string, Forwarder>();
  const unlisten = store.onCommit(({ groups, isForeign }) => {
    output.wake(groups.map(({ key }) => key));
    for (const forwarder of forwarders.values()) forwarder.ring(groups);
    if (!isForeign) return;
    output.retryStopped();
    for (const forwarder of forwarders.values()) void forwarder.retryReleased();
  });
  const onError = (error: unknown) =>
    log.error('What was left of an earlier run is not handed over yet.', { error: error as Error });
  const catchUpFor = (forwarder: Forwarder) => void forwarder.catchUp().catch(onError);

  async function start(receiver: Receiver): Promise<Forwarder> {
    const secret = receiver.secret ?? (await findForwardSecret(dataDir));
    const secretFrom = describeSecret(receiver.secret, dataDir);
    log.info(`forwarding to ${shownUrl(receiver.url)}. ${secretFrom}`);
    if (receiver.url.protocol === 'http:' && !isLoopback(receiver.url.hostname))
      log.warn(
        `Posts to ${shownUrl(receiver.url)} are not encrypted: anyone on the way can read them. Use https outside of your own network.`,
      );
    return startForwarder({ ...receiver, secret, secretFrom, onAttempt }, ports);
  }

  return {
    async forwardTo(receivers: readonly Receiver[]): Promise<void> {
      if (dataDir !== undefined) await noteForwards(store, receivers, dataDir, log);
      const wanted = new Map(receivers.map((receiver) => [JSON.stringify(receiver), receiver]));
      for (const [name, forwarder] of [...forwarders]) {
        if (wanted.has(name)) continue;
        forwarders.delete(name);
        await forwarder.stop();
      }
      for (const [name, receiver] of wanted) {
        if (forwarders.has(name)) continue;
        const forwarder = await start(receiver);
        forwarders.set(name, forwarder);
        if (dataDir !== undefined) catchUpFor(forwarder);
      }
    },
    catchUp(): void {
      if (dataDir !== undefined) output.sweep().catch(onError);
    },
    async handOver(): Promise<void> {
      // The last commit may not be reported yet.
      await setImmediate();
      await output.idle();
      await Promise.all([...forwarders.values()].map((forwarder) => forwarder.finish()));
    },
    async stop(): Promise<void> {
      unlisten();
      await Promise.all([output.stop(), ...[...forwarders.values()].map((forwarder) => forwarder.stop())]);
    },
  };
}

/** In a sentence, and never the secret itself. */
function describeSecret(given: string | undefined, dataDir: string | undefined): string {
  if (given !== undefined) return 'The signing secret is the given one.';
  if (dataDir === undefined)
    return 'No receiver can know the signing secret of this run: give one with --forward-secret FILE.';
  return `The signing secret: npx --no returns-feed webhooks secret --data ${shellWord(dataDir)}`;
}
