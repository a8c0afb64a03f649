// Marks of the events that `watch` has handed over. The local queue loses its content when it ends, so here the queue's
// marks count the events that came out of it, not those sent to it: after a kill, all later events come again.
import { parseEventId } from '../../shared/contract/event-id.ts';
import { WATCH_MARK } from '../../shared/deployment/destinations.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import type { GroupKey, Marks } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';

/** The destination's name in these marks. */
export const HANDED_OVER = WATCH_MARK;
const NOTES_AT_ONCE = 10;

export interface HandedOver {
  /** The queue relay's marks: kept in memory, starting from the stored ones. */
  readonly marks: Marks;
  /** Stores that these events were handed over, in this order. */
  note(eventIds: readonly string[]): Promise<void>;
}

/** @param isKept whether the marks outlive this process */
export function createHandedOver(stored: Marks, isKept: boolean): HandedOver {
  const sent = new Map<string, number>();
  return {
    marks: {
      ...stored,
      async load(_destination, key) {
        const known = sent.get(formatGroupKey(key));
        return known ?? (isKept ? await stored.load(HANDED_OVER, key) : undefined);
      },
      async advance(_destination, key, sequence) {
        const group = formatGroupKey(key);
        sent.set(group, Math.max(sequence, sent.get(group) ?? 0));
      },
    },
    async note(eventIds) {
      if (!isKept) return;
      const latest = new Map<string, { readonly key: GroupKey; readonly sequence: number }>();
      for (const id of eventIds) {
        const key = parseEventId(id);
        if (key !== undefined) latest.set(formatGroupKey(key), { key, sequence: key.sequence });
      }
      await inParallel([...latest.values()], NOTES_AT_ONCE, ({ key, sequence }) =>
        stored.advance(HANDED_OVER, key, sequence),
      );
    },
  };
}
