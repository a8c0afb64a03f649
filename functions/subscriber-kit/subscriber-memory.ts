// A subscriber's memory. With it, events that come twice or in any order are handled once, and stale ones not at all.

export interface SubscriberMemory {
  /**
   * Runs `run` unless it completed before under the same key.
   *
   * @returns whether it ran
   * @throws any error of `run`, which then counts as not run; {@link inProgressError} if another invocation is running
   * it
   */
  once(key: MemoryKey, run: () => Promise<void>, remainingMs: () => number): Promise<boolean>;
  /** The newest noted position; undefined if there is none. */
  newest(key: MemoryKey): Promise<string | undefined>;
  /** Notes a position, unless a newer one is noted. Positions sort as text. */
  advance(key: MemoryKey, position: string): Promise<void>;
}

export interface MemoryKey {
  /** The subscriber whose memory it is. */
  readonly subscriber: string;
  /** An event's id, or the subject or group of a newest position. */
  readonly of: string;
}

const IN_PROGRESS = 'EventInProgressError';

/** A memory throws it instead of waiting for another invocation. */
export function inProgressError(cause: unknown): Error {
  return Object.assign(new Error('Another invocation has this event in progress.', { cause }), {
    name: IN_PROGRESS,
  });
}

export function isInProgress(error: unknown): boolean {
  return error instanceof Error && error.name === IN_PROGRESS;
}

/** Older entries are dropped: an entry that is needed again soon is among the kept ones. */
const REMEMBERED = 10_000;

/** A memory that lasts as long as the process. */
export function createProcessMemory(): SubscriberMemory {
  const done = createRecent<true>();
  const positions = createRecent<string>();
  return {
    async once(key, run) {
      if (done.get(key) !== undefined) return false;
      await run();
      done.set(key, true);
      return true;
    },
    newest: async (key) => positions.get(key),
    async advance(key, position) {
      if (position > (positions.get(key) ?? '')) positions.set(key, position);
    },
  };
}

function createRecent<Value>() {
  const entries = new Map<string, Value>();
  const nameOf = ({ subscriber, of }: MemoryKey) => `${subscriber} ${of}`;
  return {
    get: (key: MemoryKey) => entries.get(nameOf(key)),
    set(key: MemoryKey, value: Value) {
      entries.delete(nameOf(key));
      entries.set(nameOf(key), value);
      const [oldest] = entries.keys();
      if (entries.size > REMEMBERED && oldest !== undefined) entries.delete(oldest);
    },
  };
}
