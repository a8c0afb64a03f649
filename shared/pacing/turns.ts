// Whose request is sent next. `fresh` comes first, and half of the bucket is kept for it; the others share what it
// leaves, and an eighth of the budget for certain. Early work has only what is left.
import { MILLISECOND } from '../instant.ts';
import type { Clock } from '../ports.ts';
import type { LaneName } from '../source/source-state.ts';
import type { Bucket } from './bucket.ts';
import { DeadlineReached } from './errors.ts';

/**
 * `first`: polls of the newest changes. `overdue`, `due`: guaranteed. `early`: work before its time, which waits for all
 * others.
 */
const ORDERS = ['first', 'overdue', 'due', 'early'] as const;
export type Order = (typeof ORDERS)[number];

/** A lane's request that waits for its turn. */
export interface Turn {
  readonly lane: LaneName;
  /** @default 'due' */
  readonly order?: Order | undefined;
  /** Whether it may use what is kept for `first`. @default false */
  readonly usesAll?: boolean | undefined;
}

/** After so many requests of `first` one of the guaranteed others is sent. */
const MOST_IN_A_ROW = 7;
/** The same while one of them is overdue: in a failing service, `first` may take all it gets for the same failure. */
const MOST_BEFORE_OVERDUE = 1;

export interface Turns {
  /**
   * Resolves when one request may be sent, which must happen at once.
   *
   * @param deadline by {@link Clock.elapsed}: nothing is sent after it; asked for again before each grant
   * @throws DeadlineReached as soon as it is known that the turn would come later, or on the signal
   */
  take(turn: Turn, deadline: () => number, signal?: AbortSignal): Promise<void>;
}

interface Waiting {
  readonly turn: Turn;
  readonly deadline: () => number;
  readonly signal: AbortSignal | undefined;
  readonly grant: () => void;
  readonly refuse: (error: Error) => void;
}

export function createTurns(bucket: Bucket, clock: Clock): Turns {
  let waiting: Waiting[] = [];
  let isServing = false;
  /** Ends the sleep of `serve`: a request that comes first may be sent earlier. */
  let sleeping = new AbortController();
  /** Requests of `first` in a row while guaranteed ones waited. */
  let inARow = 0;
  /** When each lane was last served, as a count: lanes of one order take turns. */
  const served = new Map<LaneName, number>();
  let count = 0;
  /** The lane of the last guaranteed request. */
  let last: LaneName | undefined;

  async function serve(): Promise<void> {
    isServing = true;
    for (;;) {
      const most = waiting.some(({ turn }) => turn.order === 'overdue') ? MOST_BEFORE_OVERDUE : MOST_IN_A_ROW;
      const isOwed = inARow >= most && waiting.some(isGuaranteed);
      const waitOf = ({ turn }: Waiting) =>
        bucket.wait(turn.order === 'first' || turn.usesAll || isOwed ? 0 : bucket.kept);
      waiting = waiting.filter((each) => !isRefused(each, waitOf(each)));
      const able = waiting.filter((each) => !isOwed || isGuaranteed(each));
      const [next] = able.toSorted((a, b) => rankOf(a) - rankOf(b) || servedAt(a) - servedAt(b));
      if (next === undefined) break;
      const wait = waitOf(next);
      if (wait > 0) await sleep(wait, next.signal);
      else grant(next);
    }
    isServing = false;
  }

  function grant(next: Waiting): void {
    waiting = waiting.filter((each) => each !== next);
    inARow = next.turn.order === 'first' && waiting.some(isGuaranteed) ? inARow + 1 : 0;
    served.set(next.turn.lane, ++count);
    if (isGuaranteed(next)) last = next.turn.lane;
    bucket.take();
    next.grant();
  }

  async function sleep(wait: number, signal: AbortSignal | undefined): Promise<void> {
    sleeping = new AbortController();
    const wake = () => sleeping.abort();
    signal?.addEventListener('abort', wake, { once: true });
    await clock.sleep(Math.max(1, Math.ceil(wait / MILLISECOND)), sleeping.signal);
    signal?.removeEventListener('abort', wake);
  }

  function isRefused({ deadline, signal, refuse }: Waiting, wait: number): boolean {
    if (signal?.aborted === true) refuse(new DeadlineReached('Asked to stop before the next request.'));
    else if (clock.elapsed() + wait > deadline())
      refuse(new DeadlineReached('The next request would come after the deadline.'));
    else return false;
    return true;
  }

  const servedAt = ({ turn }: Waiting) => served.get(turn.lane) ?? 0;
  /** Overdue requests come before due ones, but not twice in a row: they may be more than the budget allows. */
  const rankOf = ({ turn: { lane, order = 'due' } }: Waiting) =>
    ORDERS.indexOf(order === 'overdue' && lane === last ? 'due' : order);

  return {
    take(turn, deadline, signal) {
      return new Promise((grant, refuse) => {
        waiting.push({ turn, deadline, signal, grant, refuse });
        if (isServing) sleeping.abort();
        else void serve();
      });
    },
  };
}

function isGuaranteed({ turn: { order = 'due' } }: Waiting): boolean {
  return order === 'overdue' || order === 'due';
}
