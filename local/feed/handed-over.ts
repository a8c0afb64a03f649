// How far events were handed over to whoever watches. The local queue forgets everything when it ends, so here the
// queue's marks are not what was sent to it but what came out of it: after a kill, all beyond comes again.
import { parseEventId } from '../../shared/contract/event-id.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import type { GroupKey, Marks } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';

/** The destination that these marks are of. */
export const HANDED_OVER = 'watch';
const NOTES_AT_ONCE = 10;

export interface HandedOver {
  /** The queue relay's marks: kept for this process, beginning with what was handed over before. */
  readonly marks: Marks;
  /** Notes that these events were handed over, in this order. */
  note(eventIds: readonly string[]): Promise<void>;
}

/** @param isKept whether anybody can come back to what is noted */
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
