// Reads the latest events, and then new events as they are saved. The sources' activities list the groups that changed
// last, so a call lists the sources, and reads two items of each (state and activity) and the new events, however many
// groups there are; on one machine the activities of all sources are one read.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { type Instant, MINUTE } from '../../shared/instant.ts';
import { RELAY_READ_EVENTS } from '../../shared/limits.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { type ChangedGroup, changedGroups } from '../place/changed-groups.ts';
import type { ConsoleFeed } from './console-feed.ts';

export interface LatestEvents {
  /** The last events of the groups that changed last, newest first. */
  readonly events: readonly FeedEvent[];
  /** When the newest of these groups was saved. A tail from here on has no gap. */
  readonly position: Instant;
  /** When the oldest of these groups was saved, if there are older ones. */
  readonly older: Instant | undefined;
  /** The names of all sources. */
  readonly sources: readonly string[];
}

export interface EventTail {
  /** Returns the events that were saved since the last call, oldest first. Some may be returned twice. */
  next(): Promise<FeedEvent[]>;
  /** The time of the latest save that was returned. */
  position(): Instant;
  /** The number of sources at the last call. */
  sources(): number;
}

/** The service's clock is estimated, so a later save may have an earlier time. Pages omit repeated events. */
const CLOCK_SHIFT = MINUTE;
/** Maximum number of events of one reading. If it made more, the last ones are returned. */
const MAX_OF_A_READING = 20;
/** Number of groups whose last events a new page shows. */
const BEGINS_WITH = 30;

type TailedFeed = Pick<ConsoleFeed, 'sources' | 'states' | 'activitiesOf' | 'ledger'>;

/** @param before only groups that were saved before this moment */
export async function readLatestEvents(
  feed: TailedFeed,
  before = Number.POSITIVE_INFINITY,
): Promise<LatestEvents> {
  const { sources, groups } = await listChangedGroups(feed);
  const changed = groups.filter(({ savedAt }) => savedAt < before);
  const last = changed.slice(0, BEGINS_WITH);
  const events = (await Promise.all(last.map((group) => readLastReading(feed, group)))).flat();
  const older = changed.length > last.length ? last.at(-1)?.savedAt : undefined;
  return { events, position: changed[0]?.savedAt ?? 0, older, sources };
}

/** @param since the position of a page or of another tail */
export function createEventTail(feed: TailedFeed, since: Instant): EventTail {
  let position = since;
  /** The number of the last returned event of each recently changed group. */
  let returned = new Map<string, number>();
  let count = 0;

  return {
    position: () => position,
    sources: () => count,
    async next() {
      const { sources, groups: changed } = await listChangedGroups(feed);
      count = sources.length;
      const afterOf = ({ key }: ChangedGroup) => returned.get(formatGroupKey(key));
      const news = changed.filter((group) => {
        const after = afterOf(group);
        return after === undefined ? group.savedAt > position - CLOCK_SHIFT : after < group.sequence;
      });
      const events = await Promise.all(
        news.toReversed().map((group) => {
          const after = afterOf(group);
          return after === undefined
            ? readLastReading(feed, group).then((last) => last.reverse())
            : readEvents(feed, group.key, after, group.sequence - after);
        }),
      );
      // Not before the reads: if one fails, the next call repeats it.
      returned = new Map(changed.map(({ key, sequence }) => [formatGroupKey(key), sequence]));
      position = Math.max(position, changed[0]?.savedAt ?? 0);
      return events.flat();
    },
  };
}

/** The groups that changed last, of all sources, newest first. */
async function listChangedGroups(
  feed: TailedFeed,
): Promise<{ readonly sources: readonly string[]; readonly groups: readonly ChangedGroup[] }> {
  const sources = await feed.sources(undefined);
  const groups = await Promise.all(
    [...(await feed.activitiesOf(sources))].map(async ([source, activity]) => {
      const state = await feed.states.load(source);
      return state === undefined ? [] : changedGroups(state, activity);
    }),
  );
  return { sources, groups: groups.flat().sort((a, b) => b.savedAt - a.savedAt) };
}

/** The events of a group that its last reading made, newest first. */
async function readLastReading(feed: TailedFeed, { key, sequence }: ChangedGroup): Promise<FeedEvent[]> {
  const events = await readEvents(feed, key, sequence - MAX_OF_A_READING, MAX_OF_A_READING);
  const last = events.at(-1);
  const isOfLastReading = ({ data }: FeedEvent) => data.observed.by === last?.data.observed.by;
  return events.filter(isOfLastReading).reverse();
}

/** Omits entries that can't be decoded; a return's page shows them. */
async function readEvents(
  { ledger }: TailedFeed,
  key: GroupKey,
  after: number,
  limit: number,
): Promise<FeedEvent[]> {
  const entries = await ledger.read(key, Math.max(0, after), Math.min(limit, RELAY_READ_EVENTS));
  return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
}
