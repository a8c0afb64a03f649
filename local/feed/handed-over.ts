// How far events were handed over to whoever watches. The local queue forgets everything when it ends, so here the
// queue's marks are not what was sent to it but what came out of it: after a kill, all beyond comes again.
import { formatGroupKey } from '../../shared/group-key.ts';
import type { GroupKey, Marks } from '../../shared/ports.ts';

const HANDED_OVER = 'watch';

export interface HandedOver {
  /** The queue relay's marks: kept for this process, beginning with what was handed over before. */
  readonly marks: Marks;
  /** Notes durably that an event was handed over. */
  note(key: GroupKey, sequence: number): Promise<void>;
}

export function createHandedOver(stored: Marks): HandedOver {
  const sent = new Map<string, number>();
  return {
    marks: {
      ...stored,
      async load(_destination, key) {
        return sent.get(formatGroupKey(key)) ?? (await stored.load(HANDED_OVER, key));
      },
      async advance(_destination, key, sequence) {
        const group = formatGroupKey(key);
        sent.set(group, Math.max(sequence, sent.get(group) ?? 0));
      },
    },
    note: (key, sequence) => stored.advance(HANDED_OVER, key, sequence),
  };
}
