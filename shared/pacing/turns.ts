// Whose request is sent next. Each lane has a share; the next token of the bucket goes to the waiting lane that is
// furthest behind its share. A lane without work leaves its share to the others.
import { MILLISECOND } from '../instant.ts';
import type { Clock } from '../ports.ts';
import type { LaneName } from '../source/source-state.ts';
import type { Bucket } from './bucket.ts';
import { DeadlineReached } from './errors.ts';

export const SHARES: Readonly<Record<LaneName, number>> = {
  fresh: 6,
  recent: 3,
  late: 2,
  older: 1,
  'look-ups': 1,
};

export interface Turns {
  /**
   * Resolves when one request may be sent, which must happen at once.
   *
   * @param deadline by {@link Clock.elapsed}: nothing is sent after it; asked for again before each grant
   * @throws DeadlineReached as soon as it is known that the turn would come later, or on the signal
   */
  take(lane: LaneName, deadline: () => number, signal?: AbortSignal): Promise<void>;
}

interface Waiting {
  readonly lane: LaneName;
  readonly deadline: () => number;
  readonly signal: AbortSignal | undefined;
  readonly grant: () => void;
  readonly refuse: (error: Error) => void;
}

export function createTurns(bucket: Bucket, clock: Clock): Turns {
  /** How much each lane has had, in units of its share; a lane that was idle begins where the others are. */
  const had = new Map<LaneName, number>();
  let served = 0;
  let waiting: Waiting[] = [];
  let isServing = false;

  async function serve(): Promise<void> {
    isServing = true;
    for (;;) {
      const wait = bucket.wait();
      waiting = waiting.filter((each) => !isRefused(each, wait));
      const [first] = waiting;
      if (first === undefined) break;
      if (wait > 0) {
        await clock.sleep(Math.max(1, Math.ceil(wait / MILLISECOND)), first.signal);
        continue;
      }
      const next = waiting.reduce((a, b) => (placeOf(b.lane) < placeOf(a.lane) ? b : a));
      waiting = waiting.filter((each) => each !== next);
      served = placeOf(next.lane);
      had.set(next.lane, served + 1 / SHARES[next.lane]);
      bucket.take();
      next.grant();
    }
    isServing = false;
  }

  function isRefused({ deadline, signal, refuse }: Waiting, wait: number): boolean {
    if (signal?.aborted === true) refuse(new DeadlineReached('Asked to stop before the next request.'));
    else if (clock.elapsed() + wait > deadline())
      refuse(new DeadlineReached('The next request would come after the deadline.'));
    else return false;
    return true;
  }

  const placeOf = (lane: LaneName) => had.get(lane) ?? served;

  return {
    take(lane, deadline, signal) {
      had.set(lane, Math.max(placeOf(lane), served));
      return new Promise((grant, refuse) => {
        waiting.push({ lane, deadline, signal, grant, refuse });
        if (!isServing) void serve();
      });
    },
  };
}
