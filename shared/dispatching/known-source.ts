// What the dispatcher knows of a source: from the notes of its last ticks and, where these do not tell it, from the
// minute before. All times are in milliseconds since the epoch.
import * as z from 'zod';

const time = z.int();

/** What became of a tick. */
export const note = z.object({
  /** When the tick was due. If the source was sent on, the slot of the tick that was sent. */
  slot: time,
  /** When a quick tick read it completely and found nothing new: its state does not show that. */
  quietAt: time.optional(),
  /** When it was last read completely, otherwise; undefined if the tick did not find out. */
  readAt: time.optional(),
  /** Why it was not read. */
  why: z.string().optional(),
  failed: z.boolean().optional(),
  /** A quick tick that could not do the work has sent a tick to the long queue. */
  isSentOn: z.boolean().optional(),
  /** Until when quick ticks would not do. */
  stayUntil: time.optional(),
  /** Of a tick that had the state: holds that wait, and what is set aside. */
  held: z.int().optional(),
  setAside: z.int().optional(),
});

export type Note = z.output<typeof note>;

export const knownSource = z.object({
  /** When the dispatcher first listed it. */
  since: time,
  /** The slot of its last tick that was noted. */
  notedAt: time.optional(),
  quietAt: time.optional(),
  readAt: time.optional(),
  isFailing: z.boolean().optional(),
  held: z.int().optional(),
  setAside: z.int().optional(),
  /** While it is with the long queue. */
  long: z
    .object({
      /** It stays at least as long. */
      until: time,
      /** The slots of the last tick that was sent, and of the last one that was noted. */
      sentAt: time,
      doneAt: time.optional(),
      /** Failed ticks in a row. */
      failures: z.int(),
    })
    .optional(),
});

export type KnownSource = z.output<typeof knownSource>;

/** How long a source stays with the long queue whose work is not done in one tick, or would end a shard's process. */
export const STAY_MS = 600_000;

/** The source as a quick tick found it. */
export function learnFromShard(known: KnownSource, found: Note): KnownSource {
  const { slot, isSentOn = false, failed = false, stayUntil } = found;
  if (!isSentOn) return learn(known, found);
  // The tick that was sent will note what it finds.
  return slot > (known.long?.sentAt ?? 0)
    ? sendLong({ ...known, isFailing: failed }, slot, stayUntil)
    : known;
}

/** The source as its last long tick left it. */
export function learnFromLong(known: KnownSource, found: Note): KnownSource {
  const { long } = known;
  const next = learn(known, found);
  if (long === undefined || found.slot <= (long.doneAt ?? 0)) return next;
  const failures = found.failed === true ? long.failures + 1 : 0;
  const until = Math.max(long.until, found.stayUntil ?? 0);
  return { ...next, long: { ...long, doneAt: found.slot, failures, until } };
}

/** The source after a tick was sent to the long queue. */
export function sendLong(known: KnownSource, slot: number, stayUntil = 0): KnownSource {
  const { until = stayUntil, failures = 0, doneAt } = known.long ?? {};
  return { ...known, long: { until, sentAt: slot, failures, ...(doneAt !== undefined && { doneAt }) } };
}

function learn(known: KnownSource, { slot, quietAt, readAt, failed, held, setAside }: Note): KnownSource {
  if (slot <= (known.notedAt ?? 0)) return known;
  return {
    ...known,
    notedAt: slot,
    isFailing: failed === true,
    ...(quietAt !== undefined && { quietAt }),
    ...(readAt !== undefined && { readAt }),
    ...(held !== undefined && { held }),
    ...(setAside !== undefined && { setAside }),
  };
}

/** When it was last read completely, as far as is known; a source that never was counts from its first minute. */
export function lastReadAt({ since, quietAt = 0, readAt = 0 }: KnownSource): number {
  return Math.max(quietAt, readAt) || since;
}
