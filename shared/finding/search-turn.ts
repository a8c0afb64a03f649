// Operators' searches of a source run one at a time, each within the share of the budget that ticks leave. A small stored
// item holds the lease and the times of the last requests, so that the share also holds over processes. A search that was
// never ended, because its process died, counts as one that used the whole share at the end of its lease.
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';
import type { Bucket } from '../pacing/bucket.ts';
import type { Clock, Searches, SearchLease } from '../ports.ts';
import { ASKING_MS, NotAskedError } from './asking.ts';

/** As long as a search may take, and a request that was sent at its end. */
const LEASE = ASKING_MS * MILLISECOND + 20 * SECOND;
/** Half a second longer than a minute: requests may take that much longer than others to arrive. */
const WINDOW = 60 * SECOND + 500 * MILLISECOND;

export interface SearchTurn {
  /** The share of the budget, for the requests of this search. */
  readonly bucket: Bucket;
  /** Lets the next search begin. */
  end(): Promise<void>;
}

export interface SearchTurnOptions {
  readonly searches: Searches;
  readonly clock: Clock;
  readonly source: string;
  /** Requests of all searches in any 60 seconds. */
  readonly requestsPerMinute: number;
}

/** @throws NotAskedError while another search is under way */
export async function takeSearchTurn(options: SearchTurnOptions): Promise<SearchTurn> {
  const { searches, clock, source, requestsPerMinute } = options;
  const known = await searches.load(source);
  const now = clock.now();
  // A lease that ends further ahead comes from a wrong clock.
  if (known.expiresAt > now && known.expiresAt <= now + LEASE) throw underWay(source);
  const isDead = known.expiresAt !== 0;
  const before = isDead ? Array<Instant>(requestsPerMinute).fill(known.expiresAt) : known.sentAt;
  const sentAt = before.map((time) => Math.min(time, now)).sort((a, b) => a - b);
  const version = known.version + 1;
  const save = (version: number, lease: Omit<SearchLease, 'version'>) =>
    searches.save(source, { ...lease, version }, version - 1);
  if ((await save(version, { sentAt, expiresAt: now + LEASE })) === 'conflict') throw underWay(source);
  return {
    bucket: createWindow(sentAt, requestsPerMinute, clock),
    async end() {
      const last = sentAt.filter((time) => time > clock.now() - WINDOW);
      // After a conflict another search has taken the lease, which had expired.
      await save(version + 1, { sentAt: last, expiresAt: 0 });
    },
  };
}

/** Counts the requests of the last minute, in the order of their times. */
function createWindow(sentAt: Instant[], most: number, clock: Clock): Bucket {
  let pausedUntil: Instant = 0;
  return {
    kept: 0,
    wait() {
      const now = clock.now();
      const oldest = sentAt.at(-most);
      return Math.max(0, pausedUntil - now, oldest === undefined ? 0 : oldest + WINDOW - now);
    },
    take: () => void sentAt.push(clock.now()),
    empty() {},
    pause(duration) {
      pausedUntil = Math.max(pausedUntil, clock.now() + duration);
    },
  };
}

function underWay(source: string): NotAskedError {
  return new NotAskedError(`Another search of source ${source} is under way; try again in a minute.`);
}
