// Runs the readers of one setting, each in a world of its own: the store does not change until the reader has read it,
// then changes for a while, and then does not change any more.
import { type Instant, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import { betterOf, boundsOf, type Figures, shortfalls } from '../readers/judge.ts';
import { delaysOf, mostWithin, quantile, wrongAt } from '../readers/measure.ts';
import { ORDINARY_KINDS, type OrdinaryKind } from '../readers/usual-poller.ts';
import { changeStore } from './change-store.ts';
import {
  createFreshnessWorld,
  type FreshnessWorld,
  type RunningReader,
  type WorldOptions,
} from './freshness-world.ts';
import { startOrdinaryReader } from './ordinary-reader.ts';
import { startOurFeed } from './our-feed.ts';

/** The table's figures of one reader. */
export interface ReaderFigures extends Figures {
  readonly name: OrdinaryKind | 'ours';
  /** A minute, while the store changes and after it. */
  readonly requests: number;
  readonly requestsAtRest: number;
  /** What our feed reports that it should not: errors of ticks, holds. */
  readonly notes: readonly string[];
}

export interface Row extends WorldOptions {
  readonly readers: readonly ReaderFigures[];
  /** The name of the reader that ours is compared with; undefined if the setting has its own bounds. */
  readonly better: string | undefined;
  /** What ours falls short of. */
  readonly missed: readonly string[];
}

const TIMES = 1.25;
const LONGEST_BASELINE = 600 * MINUTE;
/** The time until the reader polls at its usual pace. */
const SETTLES = 30 * SECOND;
const QUIET_FOR = 3 * MINUTE;

export async function runRow(options: WorldOptions): Promise<Row> {
  const { bounds, requestsPerMinute } = options.setting;
  const others: ReaderFigures[] = [];
  if (bounds === undefined) for (const kind of ORDINARY_KINDS) others.push(await runReader(options, kind));
  const ours = await runReader(options, 'ours');
  const better = betterOf(others);
  const allowed = better === undefined ? bounds : boundsOf(better, TIMES);
  const missed = shortfalls(ours, { ...allowed, busiestMinute: requestsPerMinute });
  return { ...options, readers: [...others, ours], better: better?.name, missed };
}

export async function runReader(options: WorldOptions, name: ReaderFigures['name']): Promise<ReaderFigures> {
  const world = createFreshnessWorld(options);
  const start = () => (name === 'ours' ? startOurFeed(world) : startOrdinaryReader(world, name));
  return { name, ...(await world.time.run(live(world, options, start), 2 * LONGEST_BASELINE)) };
}

async function live(world: FreshnessWorld, { setting, seed }: WorldOptions, start: () => RunningReader) {
  const { time } = world;
  const reader = start();
  await Promise.race([reader.isReady, time.sleep(LONGEST_BASELINE / MILLISECOND)]);
  await time.sleep(SETTLES / MILLISECOND);
  const changesFrom = time.now();
  await changeStore(world, seed, setting.changesForMs);
  const changesTo = time.now();
  await time.sleep(QUIET_FOR / MILLISECOND + 1);
  const figures = figuresOf(world, reader, { changesFrom, changesTo });
  await reader.stop();
  return figures;
}

function figuresOf(
  { sentAt, opening, setting, ...world }: FreshnessWorld,
  { sightings, notes }: RunningReader,
  { changesFrom, changesTo }: { readonly changesFrom: Instant; readonly changesTo: Instant },
): Omit<ReaderFigures, 'name'> {
  const evidence = { opening, changes: world.changes(), sightings };
  const lastAt = evidence.changes.at(-1)?.at ?? changesTo;
  const delays = delaysOf(evidence);
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(delays, share) / SECOND);
  const during = sentAt.filter((at) => at >= changesFrom && at < changesTo).length;
  const atRest = sentAt.filter((at) => at >= changesTo).length;
  return {
    ...{ p50: p50!, p99: p99!, max: max!, never: delays.never },
    wrong: setting.wrongAfter.map((seconds) => wrongAt(lastAt + seconds * SECOND, evidence)),
    requests: (during * MINUTE) / (changesTo - changesFrom),
    requestsAtRest: (atRest * MINUTE) / QUIET_FOR,
    busiestMinute: mostWithin(MINUTE, sentAt),
    notes: notes(),
  };
}
