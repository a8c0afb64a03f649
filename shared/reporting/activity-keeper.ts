// Records what a source does, for the console. Best effort: its failures do not reach the tick, and lost records are
// missing only on the console. Two processes that work alternately, for example after one was frozen, may overwrite
// each other's records: a process that takes the source over continues from the stored activity.
import { READ_GROUP } from '../contract/event-id.ts';
import { type Instant, MILLISECOND } from '../instant.ts';
import { ACTIVITY_EVERY_MS } from '../limits.ts';
import type { Activities, Clock, Ledger, Log, SnapshotStore } from '../ports.ts';
import { type Activity, addActivity, NO_ACTIVITY, savedEvents, sentRequests } from './activity.ts';

export interface ActivityKeeperOptions {
  readonly source: string;
  readonly activities: Activities;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** The service's time. */
  readonly now: () => Instant;
  /** Requests since the start of the process. */
  readonly requestsSent: () => number;
  readonly log: Log;
}

export interface ActivityKeeper {
  /** The store, with each save of events noted. */
  noteSaves(store: SnapshotStore): SnapshotStore;
  /** The ledger, with each event of the feed itself noted. */
  noteAppends(ledger: Ledger): Ledger;
  /** Call when a tick begins to work. @param isAlone whether no other process had the source since the last tick */
  begin(isAlone: boolean): void;
  /** Call during long work: writes what is new without waiting for it, every few seconds at most. */
  showProgress(): void;
  /** Call at a tick's end: writes what is new. Never rejects. */
  conclude(): Promise<void>;
}

export function createActivityKeeper(options: ActivityKeeperOptions): ActivityKeeper {
  const { source, activities, clock, now, requestsSent, log } = options;
  /** The stored activity and the new one; undefined until the stored one is known. */
  let known: Activity | undefined;
  let news = NO_ACTIVITY;
  let hasEvents = false;
  let counted = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let begunAt = 0;
  let writing: Promise<void> | undefined;

  function note(activity: Activity): void {
    news = addActivity(news, activity, now());
  }

  function noteEvents(...saved: Parameters<typeof savedEvents>): void {
    hasEvents = true;
    note(savedEvents(...saved));
    keeper.showProgress();
  }

  function noteRequests(): void {
    const sent = requestsSent();
    if (sent > counted) note(sentRequests(sent - counted, now()));
    counted = sent;
  }

  async function write(): Promise<void> {
    writtenAt = clock.elapsed();
    try {
      known ??= (await activities.load(source)) ?? NO_ACTIVITY;
      known = addActivity(known, news, now());
      news = NO_ACTIVITY;
      hasEvents = false;
      await activities.save(source, known);
    } catch (error) {
      log.debug('The activity was not written; the next write adds what is missing.', {
        source,
        error: error instanceof Error ? error : String(error),
      });
    }
  }

  function isPast(since: number): boolean {
    return clock.elapsed() - since >= ACTIVITY_EVERY_MS * MILLISECOND;
  }

  const keeper: ActivityKeeper = {
    noteSaves: (store) => ({
      ...store,
      async save(key, save) {
        const result = await store.save(key, save);
        if (result === 'saved' && save.events.length > 0 && typeof key.group === 'number')
          noteEvents(key.group, save.events, now());
        return result;
      },
    }),
    noteAppends: (ledger) => ({
      ...ledger,
      async append(key, event) {
        const result = await ledger.append(key, event);
        // Reports of what is read come every minute: they would hide the changes.
        if (result === 'saved' && key.group !== READ_GROUP) noteEvents(key.group, [event], now());
        return result;
      },
    }),
    begin(isAlone) {
      if (!isAlone) known = undefined;
      begunAt = clock.elapsed();
    },
    showProgress() {
      noteRequests();
      if (writing !== undefined || !isPast(Math.max(begunAt, writtenAt))) return;
      writing = write().finally(() => {
        writing = undefined;
      });
    },
    async conclude() {
      noteRequests();
      await writing;
      // Ticks may be two seconds apart; requests alone can wait.
      const isDue = hasEvents || (news.minutes.length > 0 && isPast(writtenAt));
      if (isDue) await write();
    },
  };
  return keeper;
}
