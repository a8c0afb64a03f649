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

/** Of a reading that changed more, the last events are shown. */
const MAX_OF_A_READING = 20;
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
      return (await Promise.all(last.map((group) => readLastReading(feed, group)))).flat();
    },
    async next() {
      const changed = await changedGroups();
      const before = seen;
      note(changed);
      if (before === undefined) return [];
      const news = changed.filter(({ key, sequence }) => (before.get(formatGroupKey(key)) ?? 0) < sequence);
      const events = await Promise.all(
        news.toReversed().map((group) => {
          const after = before.get(formatGroupKey(group.key));
          return after === undefined
            ? readLastReading(feed, group).then((events) => events.reverse())
            : readEvents(feed, group.key, after, group.sequence - after);
        }),
      );
      return events.flat();
    },
  };
}

async function changedGroupsOf({ states, activities }: TailedFeed, source: string): Promise<ChangedGroup[]> {
  const [state, activity] = await Promise.all([states.load(source), activities.load(source)]);
  if (state === undefined || activity === undefined) return [];
  const { generation } = state;
  return activity.recent.map(({ group, sequence, savedAt }) => ({
    key: { source, generation, group },
    sequence,
    savedAt,
  }));
}

/** The events of a group that its last reading made, newest first. */
async function readLastReading(feed: TailedFeed, { key, sequence }: ChangedGroup): Promise<FeedEvent[]> {
  const events = await readEvents(feed, key, sequence - MAX_OF_A_READING, MAX_OF_A_READING);
  const last = events.at(-1);
  const isOfLastReading = ({ data }: FeedEvent) => data.observed.by === last?.data.observed.by;
  return events.filter(isOfLastReading).reverse();
}

/** Entries that can't be decoded are left out; a return's page shows them. */
async function readEvents(
  { ledger }: TailedFeed,
  key: GroupKey,
  after: number,
  limit: number,
): Promise<FeedEvent[]> {
  const entries = await ledger.read(key, Math.max(0, after), Math.min(limit, RELAY_READ_EVENTS));
  return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
}
