// Measures how many distinct rows a request of the feed shows in a reconciliation cycle at rest, as a share of the rows
// of a page. Polls, which request by update time, are counted separately.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServedRequest, startOutsideService } from '../acceptance/outside-service.ts';
import { createRandom } from '../acceptance/random.ts';
import { startWatch } from '../acceptance/watch-process.ts';

export interface AtRest {
  readonly groups: number;
  readonly pageRows: number;
  readonly hasOrder: boolean;
  readonly options: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly mostMs: number;
  readonly signal: AbortSignal;
}

export interface Cycles {
  /** Whole cycles, after the one that begins with the first reading. */
  readonly cycles: number;
  readonly seconds: number;
  readonly walkRequests: number;
  readonly pollRequests: number;
  /** Rows of the store that the requests of walks showed at least once, in the mean cycle. */
  readonly rows: number;
  /** Rows that they showed for each request, divided by the rows of a page. */
  readonly share: number;
}

const BEGINS = /A reconciliation cycle begins\..*\btier all\b/;
const ENOUGH_CYCLES = 5;
const TOKEN = 'token-at-rest';

/** Undefined if no cycle ended in time. */
export async function measureCycles(options: AtRest): Promise<Cycles | undefined> {
  const { groups, pageRows, hasOrder, seed, mostMs, signal } = options;
  const service = await startOutsideService(
    {
      groups,
      mostRows: pageRows,
      order: hasOrder ? 'created' : 'random',
      tokens: [TOKEN],
      mostRequests: 300,
    },
    createRandom(seed),
  );
  const watch = startWatch(
    {
      'base-url': service.url,
      source: 'acceptance',
      for: `${Math.ceil(mostMs / 60_000) + 1}m`,
      ...options.options,
    },
    ['--verbose'],
    { token: TOKEN },
  );
  try {
    const until = Date.now() + mostMs;
    const begun = () => watch.messages.filter((message) => BEGINS.test(message)).map(timeOf);
    while (Date.now() < until && begun().length <= ENOUGH_CYCLES) {
      await sleep(250, undefined, { signal });
      if (watch.hasEnded()) throw new Error(`watch ended: ${watch.messages.at(-1)}`);
    }
    return figures(
      begun().map((time) => service.requests.findIndex(({ at }) => clockTime(at) >= time)),
      service.requests,
      pageRows,
    );
  } finally {
    if (!watch.hasEnded()) await watch.end('SIGINT');
    await service.close();
  }
}

/** The time of a message, which `watch-process.ts` writes before it. */
function timeOf(message: string): string {
  return message.slice(0, 12);
}

function clockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

/** @param begun the first request of each cycle, -1 if it did not come; the first may belong to the first reading */
function figures(
  begun: readonly number[],
  requests: readonly ServedRequest[],
  pageRows: number,
): Cycles | undefined {
  const sent = begun.filter((index) => index >= 0);
  const bounds = sent.length > 2 ? sent.slice(1) : sent;
  const cycles = bounds.slice(1).map((end, index) => requests.slice(bounds[index], end));
  if (cycles.length === 0) return undefined;
  const mean = (count: (cycle: readonly ServedRequest[]) => number) =>
    cycles.reduce((sum, cycle) => sum + count(cycle), 0) / cycles.length;
  const walk = (cycle: readonly ServedRequest[]) => cycle.filter((request) => !isPoll(request));
  const rowsOf = (cycle: readonly ServedRequest[]) => new Set(walk(cycle).flatMap(({ shown }) => shown)).size;
  const walkRequests = mean((cycle) => walk(cycle).length);
  const rows = mean(rowsOf);
  return {
    cycles: cycles.length,
    seconds: mean((cycle) => ((cycle.at(-1)?.at ?? 0) - (cycle[0]?.at ?? 0)) / 1_000),
    walkRequests,
    pollRequests: mean((cycle) => cycle.length - walk(cycle).length),
    rows,
    share: rows / walkRequests / pageRows,
  };
}

function isPoll({ query }: ServedRequest): boolean {
  return query.includes('updated_at');
}
