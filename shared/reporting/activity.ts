// The recent activity of a source, for the console: its last minutes, and the return groups that changed last. Nothing
// depends on it, so it may be lost or overwritten at any time. It holds numbers and ids only.
import type { FeedEvent } from '../contract/event.ts';
import { FEED_GROUP } from '../contract/event-id.ts';
import { type Instant, MILLISECOND, MINUTE, parseStamp } from '../instant.ts';
import { MAX_ACTIVE_MINUTES, MAX_RECENT_GROUPS } from '../limits.ts';

/** All times are by the service's clock. */
export interface Activity {
  /** The minutes of the last hour in which something happened, newest first. */
  readonly minutes: readonly ActiveMinute[];
  /** The return groups with the last saved events, each once, newest first; the feed's own group as well. */
  readonly recent: readonly RecentGroup[];
}

export interface ActiveMinute {
  /** Its first instant. */
  readonly from: Instant;
  /** Requests sent, with those that were tried again. */
  readonly requests: number;
  /** Saved events of return groups; the feed's own are not counted. */
  readonly events: number;
  /** How many of these events have a delay ({@link delayMs}). */
  readonly delayed: number;
  readonly delaySumMs: number;
  readonly longestDelayMs: number;
}

/** A return group's id, or the group of the feed's own events. */
type ChangedGroup = number | typeof FEED_GROUP;

export interface RecentGroup {
  readonly group: ChangedGroup;
  /** The number of its last event. */
  readonly sequence: number;
  /** Cut to a whole millisecond, in the unit of Instant. */
  readonly savedAt: Instant;
}

export const NO_ACTIVITY: Activity = { minutes: [], recent: [] };

/** The activity of sending requests. */
export function sentRequests(requests: number, at: Instant): Activity {
  return { minutes: [{ ...quietMinute(at), requests }], recent: [] };
}

/** The activity of saving events of one group. */
export function savedEvents(group: ChangedGroup, events: readonly FeedEvent[], at: Instant): Activity {
  const last = events.at(-1);
  if (last === undefined) return NO_ACTIVITY;
  const recent = [{ group, sequence: last.data.sequence, savedAt: at - (at % MILLISECOND) }];
  if (group === FEED_GROUP) return { minutes: [], recent };
  const delays = events.flatMap((event) => delayMs(event, at) ?? []);
  const minute: ActiveMinute = {
    ...quietMinute(at),
    events: events.length,
    delayed: delays.length,
    delaySumMs: delays.reduce((sum, delay) => sum + delay, 0),
    longestDelayMs: Math.max(0, ...delays),
  };
  return { minutes: [minute], recent };
}

/**
 * Returns the time from a change to the save of its event, undefined where that says nothing about the feed:
 * - a baseline announces what may have changed years ago, and so does a walk that sees a group for the first time;
 * - an event whose time is the reading's own (a removal, a change without a newer stamp) does not know when the change
 *   happened;
 * - a stamp without a zone may be off by hours.
 */
export function delayMs({ time, data }: FeedEvent, savedAt: Instant): number | undefined {
  if (!('return_group' in data) || data.return_group.updated_at === null) return undefined;
  const { after, by, through } = data.observed;
  const isOld = through === 'baseline' || (through === 'reconciliation' && after === null);
  if (isOld || time === by || parseStamp(data.return_group.updated_at)?.zoned !== true) return undefined;
  const changedAt = parseStamp(time)?.instant;
  // A stamp may be a little ahead of the service's clock.
  return changedAt === undefined ? undefined : Math.max(0, Math.round((savedAt - changedAt) / MILLISECOND));
}

/**
 * Returns both activities in one, as far as they are recent. Entries in the future come from a wrong clock, and are
 * dropped as well: otherwise they would stay the newest until that time.
 */
export function addActivity(known: Activity, news: Activity, now: Instant): Activity {
  return { minutes: addMinutes(known, news, now), recent: addRecent(known, news, now) };
}

function addMinutes(known: Activity, news: Activity, now: Instant): ActiveMinute[] {
  const byStart = new Map<Instant, ActiveMinute>();
  for (const minute of [...known.minutes, ...news.minutes]) {
    const { requests, events, delayed, delaySumMs, longestDelayMs } =
      byStart.get(minute.from) ?? quietMinute(minute.from);
    byStart.set(minute.from, {
      from: minute.from,
      requests: requests + minute.requests,
      events: events + minute.events,
      delayed: delayed + minute.delayed,
      delaySumMs: delaySumMs + minute.delaySumMs,
      longestDelayMs: Math.max(longestDelayMs, minute.longestDelayMs),
    });
  }
  const current = startOfMinute(now);
  return [...byStart.values()]
    .filter(({ from }) => from > current - MAX_ACTIVE_MINUTES * MINUTE && from <= current + MINUTE)
    .sort((a, b) => b.from - a.from)
    .slice(0, MAX_ACTIVE_MINUTES);
}

function addRecent(known: Activity, news: Activity, now: Instant): RecentGroup[] {
  const byGroup = new Map<ChangedGroup, RecentGroup>();
  // The sort is stable: among groups of the same millisecond the later news comes first.
  const newestFirst = [...news.recent, ...known.recent]
    .filter(({ savedAt }) => savedAt <= now + MINUTE)
    .sort((a, b) => b.savedAt - a.savedAt);
  for (const recent of newestFirst) if (!byGroup.has(recent.group)) byGroup.set(recent.group, recent);
  return [...byGroup.values()].slice(0, MAX_RECENT_GROUPS);
}

function quietMinute(at: Instant): ActiveMinute {
  const from = startOfMinute(at);
  return { from, requests: 0, events: 0, delayed: 0, delaySumMs: 0, longestDelayMs: 0 };
}

function startOfMinute(at: Instant): Instant {
  return at - (at % MINUTE);
}
