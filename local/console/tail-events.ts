// The latest events, and then the new ones as they are saved. The sources' activities name the groups that changed last,
// so a round reads one item per source and the new events, however many groups there are.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { RELAY_READ_EVENTS } from '../../shared/limits.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import type { ConsoleFeed } from './console-feed.ts';

export interface EventTail {
  /** The last events of the groups that changed last, newest first. */
  latest(): Promise<FeedEvent[]>;
  /** The events that came since the last call, oldest first. */
  next(): Promise<FeedEvent[]>;
}

/** Groups whose last event the page begins with. */
const BEGINS_WITH = 30;

type TailedFeed = Pick<ConsoleFeed, 'sources' | 'states' | 'activities' | 'ledger'>;

interface ChangedGroup {
  readonly key: GroupKey;
  readonly sequence: number;
  readonly savedAt: number;
}

export function createEventTail(feed: TailedFeed): EventTail {
  /** The number of the last event returned, by group. */
  let seen: Map<string, number> | undefined;

  async function changedGroups(): Promise<ChangedGroup[]> {
    const sources = await feed.sources(undefined);
    const groups = await Promise.all(sources.map((source) => changedGroupsOf(feed, source)));
    return groups.flat().sort((a, b) => b.savedAt - a.savedAt);
  }

  /** Keeps only groups that are still among the latest: a group that comes back is read from its last event. */
  function note(changed: readonly ChangedGroup[]): void {
    seen = new Map(changed.map(({ key, sequence }) => [formatGroupKey(key), sequence]));
  }

  return {
    async latest() {
      const changed = await changedGroups();
      note(changed);
      const last = changed.slice(0, BEGINS_WITH);
      const events = await Promise.all(
        last.map(({ key, sequence }) => readEvents(feed, key, sequence - 1, 1)),
      );
      return events.flat();
    },
    async next() {
      const changed = await changedGroups();
      const before = seen;
      note(changed);
      if (before === undefined) return [];
      const news = changed.filter(({ key, sequence }) => (before.get(formatGroupKey(key)) ?? 0) < sequence);
      const events = await Promise.all(
        news.toReversed().map(({ key, sequence }) => {
          const after = before.get(formatGroupKey(key)) ?? sequence - 1;
          return readEvents(feed, key, after, Math.min(sequence - after, RELAY_READ_EVENTS));
        }),
      );
      return events.flat();
    },
  };
}

async function changedGroupsOf(
  { states, activities }: TailedFeed,
  source: string,
): Promise<ChangedGroup[]> {
  const [state, activity] = await Promise.all([states.load(source), activities.load(source)]);
  if (state === undefined || activity === undefined) return [];
  const { generation } = state;
  return activity.recent.map(({ group, sequence, savedAt }) => ({
    key: { source, generation, group },
    sequence,
    savedAt,
  }));
}

/** Entries that can't be decoded are left out; a return's page shows them. */
async function readEvents(
  { ledger }: TailedFeed,
  key: GroupKey,
  after: number,
  limit: number,
): Promise<FeedEvent[]> {
  const entries = await ledger.read(key, after, limit);
  return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
}
