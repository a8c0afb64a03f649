// What a subscriber remembers, so that delivery at least once and without order looks like once and the latest.

export interface SubscriberMemory {
  /**
   * Runs `run` unless it ran to its end before under the same key.
   *
   * @returns whether it ran
   * @throws what `run` throws; then it counts as not run. Also when another invocation is at it.
   */
  once(key: MemoryKey, run: () => Promise<void>, remainingMs: () => number): Promise<boolean>;
  /** The newest position noted; undefined where none is. */
  newest(key: MemoryKey): Promise<string | undefined>;
  /** Notes a position, unless a newer one is noted. Positions sort like text. */
  advance(key: MemoryKey, position: string): Promise<void>;
}

export interface MemoryKey {
  /** Whose memory it is. */
  readonly subscriber: string;
  /** An event's id, or the subject or group whose newest position it is. */
  readonly of: string;
}

/** Older ones are forgotten: what is needed again soon is among these. */
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
