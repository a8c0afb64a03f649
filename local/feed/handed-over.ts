// Marks of the events that `watch` has handed over. The local queue loses its content when it ends, so here the queue's
// marks count the events that came out of it, not those sent to it: after a kill, all later events come again.
import { type EventIdParts, parseEventId } from '../../shared/contract/event-id.ts';
import { WATCH_MARK } from '../../shared/deployment/destinations.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import type { Clock, Marks } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';

/** The destination's name in these marks. */
export const HANDED_OVER = WATCH_MARK;
const NOTES_AT_ONCE = 10;
/** Events of a return usually come in a row: after this time one write covers them all. A kill repeats that much. */
const STORED_EVERY_MS = 100;

export interface HandedOver {
  /** The queue relay's marks: kept in memory, starting from the stored ones. */
  readonly marks: Marks;
  /** Notes that these events were handed over, in this order. Returns at once: what a kill leaves unstored comes again. */
  note(eventIds: readonly string[]): void;
  /** Stores everything noted, without waiting for more. */
  stored(): Promise<void>;
}

export interface HandedOverOptions {
  /** Whether the marks outlive this process. */
  readonly isKept: boolean;
  readonly clock: Clock;
  /** Called if marks can't be stored; the next ones of their groups include them. */
  readonly onError: (error: unknown) => void;
}

export function createHandedOver(kept: Marks, { isKept, clock, onError }: HandedOverOptions): HandedOver {
  const sent = new Map<string, number>();
  /** The last event of each group that is not stored yet: of a group's events in a row only the last is written. */
  let unstored = new Map<string, EventIdParts>();
  /** One signal for each pause: listeners would pile up on one that lives as long as the process. */
  let pausing = new AbortController();
  let storing: Promise<void> | undefined;

  async function storeAll(): Promise<void> {
    while (unstored.size > 0) {
      pausing = new AbortController();
      await clock.sleep(STORED_EVERY_MS, pausing.signal);
      const latest = [...unstored.values()];
      unstored = new Map();
      await inParallel(latest, NOTES_AT_ONCE, (event) =>
        kept.advance(HANDED_OVER, event, event.sequence).catch(onError),
      );
    }
    storing = undefined;
  }

  return {
    marks: {
      ...kept,
      async load(_destination, key) {
        const known = sent.get(formatGroupKey(key));
        return known ?? (isKept ? await kept.load(HANDED_OVER, key) : undefined);
      },
      async advance(_destination, key, sequence) {
        const group = formatGroupKey(key);
        const known = sent.get(group) ?? 0;
        sent.set(group, Math.max(sequence, known));
        return sequence > known;
      },
    },
    note(eventIds) {
      if (!isKept) return;
      for (const id of eventIds) {
        const event = parseEventId(id);
        if (event !== undefined) unstored.set(formatGroupKey(event), event);
      }
      if (unstored.size > 0) storing ??= storeAll();
    },
    stored() {
      pausing.abort();
      return storing ?? Promise.resolve();
    },
  };
}
