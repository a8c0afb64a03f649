// Notes which groups of a source have changed, for the console, beside the work of its ticks: after a save, at most every
// few seconds. Nothing depends on it, so a failure is logged for debugging only. It is not in the source's state, whose
// writes it would make larger and might fail; the ledger has no index by time.
import { type Instant, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { Clock, GroupKey, Ledger, Log, SnapshotStore } from '../../shared/ports.ts';
import type { Activities, Activity } from '../adapters/dynamodb-activities.ts';

/** What a page shows, and about 1 KB holds. */
const MOST_MINUTES = 60;
const MOST_RECENT = 50;
const WRITE_EVERY_MS = 2_000;
const NONE: Activity = { minutes: [], recent: [] };

export interface ActivityNotes {
  /** The store and the ledger, with notes of what they save. */
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  /** Writes what was noted of a source. Never throws. */
  write(source: string): Promise<void>;
}

export interface ActivityNotesOptions {
  readonly activities: Activities;
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

export function createActivityNotes(options: ActivityNotesOptions): ActivityNotes {
  const { activities, store, ledger, clock, log } = options;
  const noted = new Map<string, Activity>();
  const writtenAt = new Map<string, Instant>();
  let writing = Promise.resolve();

  function note({ source, group }: GroupKey, sequence: number, events: number): void {
    const savedAt = clock.now();
    const minutes = [{ from: Math.floor(savedAt / MINUTE) * MINUTE, events }];
    const recent = [{ group, sequence, savedAt }];
    noted.set(source, merge({ minutes, recent }, noted.get(source)));
    if (savedAt - (writtenAt.get(source) ?? 0) >= WRITE_EVERY_MS * MILLISECOND) void write(source);
  }

  function write(source: string): Promise<void> {
    writtenAt.set(source, clock.now());
    writing = writing.then(async () => {
      const news = noted.get(source);
      noted.delete(source);
      if (news === undefined) return;
      try {
        await activities.save(source, merge(news, await activities.load(source)));
      } catch (error) {
        log.debug('The activity for the console could not be written.', { source, error: error as Error });
      }
    });
    return writing;
  }

  return {
    write,
    store: {
      ...store,
      async save(key, save) {
        const result = await store.save(key, save);
        const { length } = save.events;
        if (result === 'saved' && length > 0) note(key, save.snapshot.sequence, length);
        return result;
      },
    },
    ledger: {
      ...ledger,
      async append(key, event) {
        const result = await ledger.append(key, event);
        if (result === 'saved' && key.group === 'feed') note(key, event.data.sequence, 1);
        return result;
      },
    },
  };
}

/** Both activities as one. */
export function merge(news: Activity, { minutes, recent }: Activity = NONE): Activity {
  const events = new Map<Instant, number>();
  for (const minute of [...news.minutes, ...minutes])
    events.set(minute.from, (events.get(minute.from) ?? 0) + minute.events);
  const last = new Map(
    [...recent.toReversed(), ...news.recent.toReversed()].map((each) => [each.group, each]),
  );
  return {
    minutes: [...events]
      .map(([from, count]) => ({ from, events: count }))
      .sort((a, b) => b.from - a.from)
      .slice(0, MOST_MINUTES),
    recent: [...last.values()].sort((a, b) => b.savedAt - a.savedAt).slice(0, MOST_RECENT),
  };
}
