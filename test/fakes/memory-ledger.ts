// The ledger in memory. It keeps references to events instead of copies, because no code changes events.
import { isDeepStrictEqual } from 'node:util';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { GroupKey, Ledger, LedgerEntry, LedgerEraser } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';

export interface MemoryLedger extends Ledger, LedgerEraser {
  has(key: GroupKey, sequence: number): boolean;
  /** Adds the events of a save; their numbers must be higher than the group's last. */
  put(key: GroupKey, events: readonly FeedEvent[]): void;
  /** Makes an entry undecodable. */
  damage(key: GroupKey, sequence: number, reason: string): void;
  /** Removes a group's entries up to a number, like the retention. */
  expire(key: GroupKey, through: number): void;
}

interface Group {
  readonly key: GroupKey;
  /** Ascending. */
  entries: LedgerEntry[];
}

/** @param onInsert called for each new entry, like the table's stream, before the adding call ends */
export function createMemoryLedger(onInsert?: (key: GroupKey, event: FeedEvent) => void): MemoryLedger {
  const groups = new Map<string, Group>();

  function groupOf(key: GroupKey): Group {
    const text = formatGroupKey(key);
    let group = groups.get(text);
    if (group === undefined) {
      group = { key: { source: key.source, generation: key.generation, group: key.group }, entries: [] };
      groups.set(text, group);
    }
    return group;
  }

  const ledger: MemoryLedger = {
    async read(key, after, limit) {
      const entries = groups.get(formatGroupKey(key))?.entries ?? [];
      const from = firstAbove(entries, after);
      return entries.slice(from, from + limit);
    },

    async append(key, event) {
      const { entries } = groupOf(key);
      const { sequence } = event.data;
      const at = firstAbove(entries, sequence - 1);
      const entry = entries[at];
      if (entry?.sequence === sequence) {
        return 'event' in entry && isDeepStrictEqual(entry.event, event) ? 'saved' : 'conflict';
      }
      entries.splice(at, 0, { sequence, event });
      onInsert?.(key, event);
      return 'saved';
    },

    async *groups() {
      for (const { key, entries } of [...groups.values()]) {
        const last = entries.at(-1);
        if (last !== undefined) yield { key, last: last.sequence };
      }
    },

    async erase(key, through) {
      const erased = firstAbove(groupOf(key).entries, through);
      ledger.expire(key, through);
      return erased;
    },

    has(key, sequence) {
      const entries = groups.get(formatGroupKey(key))?.entries ?? [];
      return entries[firstAbove(entries, sequence - 1)]?.sequence === sequence;
    },

    put(key, events) {
      const { entries } = groupOf(key);
      for (const event of events) entries.push({ sequence: event.data.sequence, event });
      if (onInsert !== undefined) for (const event of events) onInsert(key, event);
    },

    damage(key, sequence, reason) {
      const { entries } = groupOf(key);
      entries[firstAbove(entries, sequence - 1)] = { sequence, undecodable: reason };
    },

    expire(key, through) {
      const group = groupOf(key);
      group.entries = group.entries.slice(firstAbove(group.entries, through));
    },
  };
  return ledger;
}

/** The index of the first entry above a number. Numbers rarely have gaps, so the first guess is usually right. */
function firstAbove(entries: readonly LedgerEntry[], number: number): number {
  const first = entries[0]?.sequence ?? 0;
  let at = Math.max(0, Math.min(entries.length, number - first + 1));
  while (at > 0 && (entries[at - 1]?.sequence ?? 0) > number) at--;
  while (at < entries.length && (entries[at]?.sequence ?? 0) <= number) at++;
  return at;
}
