// The ledger's table: entries of one transaction appear one by one, and the retention removes old ones in any order, up
// to two days late.
import { isDeepStrictEqual } from 'node:util';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { FEED_GROUP } from '../../../shared/contract/event-id.ts';
import { DAY, type Instant, MILLISECOND } from '../../../shared/instant.ts';
import { LEDGER_RETENTION } from '../../../shared/limits.ts';
import type { GroupKey, Ledger, LedgerEraser } from '../../../shared/ports.ts';
import { formatGroupKey } from '../../../shared/recording/group-key.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';

export interface Entry {
  readonly key: GroupKey;
  readonly event: FeedEvent;
  readonly at: Instant;
  /** When readers begin to see it. */
  readonly shownFrom: Instant;
  /** When the retention or an operator removes it. */
  goneFrom: Instant;
}

export interface SimulatedLedger extends Ledger, LedgerEraser {
  /** Adds the events of a save. */
  put(key: GroupKey, events: readonly FeedEvent[]): void;
  /** The number of the group's last event, 0 before the first. */
  last(key: GroupKey): number;
  /** Everything that was ever added, in order. */
  readonly all: readonly Entry[];
}

/** The duration in which readers may see only a part of a transaction. */
const HALF_SEEN_FOR = 30 * MILLISECOND;
const RETENTION_LATE_BY = 2 * DAY;

/** @param fraction from 0 to below 1; decides when each entry shows and goes */
export function createLedger(
  time: VirtualClock,
  fraction: () => number,
  onInsert: (entry: Entry) => void,
): SimulatedLedger {
  const groups = new Map<string, Entry[]>();
  const all: Entry[] = [];
  const entriesOf = (key: GroupKey) => groups.get(formatGroupKey(key)) ?? [];
  const isThere = ({ shownFrom, goneFrom }: Entry) => shownFrom <= time.now() && time.now() < goneFrom;
  const numberOf = ({ event }: Entry) => event.data.sequence;

  function insert(key: GroupKey, event: FeedEvent): void {
    const at = time.now();
    // The feed's own events are written one by one, and kept.
    const isOfFeed = key.group === FEED_GROUP;
    const shownFrom = isOfFeed ? at : at + Math.floor(fraction() * HALF_SEEN_FOR);
    const goneFrom = isOfFeed
      ? Number.POSITIVE_INFINITY
      : at + LEDGER_RETENTION + Math.floor(fraction() * RETENTION_LATE_BY);
    const entry = { key, event, at, shownFrom, goneFrom };
    const entries = entriesOf(key);
    entries.push(entry);
    groups.set(formatGroupKey(key), entries);
    all.push(entry);
    onInsert(entry);
  }

  return {
    all,
    put(key, events) {
      for (const event of events) insert(key, event);
    },
    last: (key) => entriesOf(key).at(-1)?.event.data.sequence ?? 0,
    async read(key, after, limit) {
      return entriesOf(key)
        .filter((entry) => numberOf(entry) > after && isThere(entry))
        .slice(0, limit)
        .map(({ event }) => ({ sequence: event.data.sequence, event }));
    },
    async append(key, event) {
      const entries = entriesOf(key);
      const taken = entries.find((entry) => numberOf(entry) === event.data.sequence);
      if (taken !== undefined) return isDeepStrictEqual(taken.event, event) ? 'saved' : 'conflict';
      insert(key, event);
      return 'saved';
    },
    async *groups() {
      for (const entries of [...groups.values()]) {
        const last = entries.findLast(isThere);
        if (last !== undefined) yield { key: last.key, last: numberOf(last) };
      }
    },
    async erase(key, through) {
      const erased = entriesOf(key).filter(
        (entry) => numberOf(entry) <= through && time.now() < entry.goneFrom,
      );
      for (const entry of erased) entry.goneFrom = time.now();
      return erased.length;
    },
  };
}
