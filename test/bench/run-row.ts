// Runs the readers of one setting, each in a world of its own: the store does not change until the reader has read it,
// then changes for a while, and then does not change any more. Ordinary readers always run in virtual time, where no
// busy machine slows them.
import { type Instant, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import {
  type BenchWorld,
  createVirtualWorld,
  type ReaderProcess,
  type RealWorld,
  type RunningReader,
  startRealWorld,
  type WorldOptions,
} from './bench-world.ts';
import { changeStore } from './change-store.ts';
import { startFeedInVirtualTime } from './feed-in-virtual-time.ts';
import { startFeedProcess } from './feed-process.ts';
import { betterOf, boundsOf, type Figures, shortfalls } from './judge.ts';
import { type Change, delaysOf, mostWithin, quantile, wrongAt } from './measure.ts';
import { startOrdinaryReader } from './ordinary-reader.ts';
import type { Usage } from './process-usage.ts';
import { ORDINARY_KINDS, type OrdinaryKind } from './usual-poller.ts';

export interface RowOptions extends WorldOptions {
  /** Whether the feed runs in real time, as a process. */
  readonly isReal: boolean;
}

/** The table's figures of one reader. */
export interface ReaderFigures extends Figures {
  readonly name: OrdinaryKind | 'feed';
  /** A minute, while the store changes and after it. */
  readonly requests: number;
  readonly requestsAtRest: number;
  /** Unexpected reports: errors of ticks, holds. */
  readonly notes: readonly string[];
  /** Undefined in virtual time. */
  readonly own: OwnFigures | undefined;
}

/** The feed's own time, in ms. */
export interface OwnFigures {
  readonly firstRequest: number;
  readonly firstReading: number;
  readonly requestsOfFirstReading: number;
  /** Events a second of an emitted baseline; NaN without. */
  readonly baselineEvents: number;
  /** From each answer that first shows a status until it is printed, ascending. */
  readonly delays: readonly number[];
  /** While the store changes and after it. */
  readonly usage: readonly [busy: Usage, atRest: Usage];
}

export interface Row extends WorldOptions {
  readonly readers: readonly ReaderFigures[];
  /** The name of the reader that the feed is compared with; undefined if the setting has its own bounds. */
  readonly better: string | undefined;
  /** The bounds that the feed misses. */
  readonly missed: readonly string[];
}

const TIMES = 1.25;
/** A process on a busy machine differs by more than one in virtual time. */
const TIMES_IN_REAL_TIME = 1.5;
const LONGEST_BASELINE = 600 * MINUTE;
/** The time until the reader polls at its usual pace. */
const SETTLES = 30 * SECOND;

export async function runRow(options: RowOptions): Promise<Row> {
  const { bounds, requestsPerMinute } = options.setting;
  const others: ReaderFigures[] = [];
  if (bounds === undefined) for (const kind of ORDINARY_KINDS) others.push(await runReader(options, kind));
  const feed = await (options.isReal ? runProcess(options) : runReader(options, 'feed'));
  const better = betterOf(others);
  const times = options.isReal ? TIMES_IN_REAL_TIME : TIMES;
  const allowed = better === undefined ? bounds : boundsOf(better, times);
  const missed = shortfalls(feed, { ...allowed, busiestMinute: requestsPerMinute });
  return { ...options, readers: [...others, feed], better: better?.name, missed };
}

export async function runReader(options: WorldOptions, name: ReaderFigures['name']): Promise<ReaderFigures> {
  const world = createVirtualWorld(options);
  const start = () => (name === 'feed' ? startFeedInVirtualTime(world) : startOrdinaryReader(world, name));
  const measure = async () => {
    const reader = start();
    const course = await live(world, reader, options);
    await reader.stop();
    return { name, ...figuresOf(world, reader, course), own: undefined };
  };
  return world.time.run(measure(), 2 * LONGEST_BASELINE);
}

async function runProcess(options: WorldOptions): Promise<ReaderFigures> {
  const world = await startRealWorld(options);
  const reader = startFeedProcess(world);
  try {
    const course = await live(world, reader, options, reader.usage);
    return { name: 'feed', ...figuresOf(world, reader, course), own: ownFiguresOf(world, reader, course) };
  } finally {
    await reader.stop();
    await world.close();
  }
}

/** The moments of a measurement, with what the reader had used by then. */
interface Course {
  readonly readyAt: Instant;
  readonly changesFrom: Instant;
  readonly changesTo: Instant;
  readonly usages: readonly Usage[];
}

async function live(
  world: BenchWorld,
  reader: RunningReader,
  { setting, seed }: WorldOptions,
  usage: () => Usage = () => ({ cpuSeconds: 0, waitSeconds: 0, residentMb: 0 }),
): Promise<Course> {
  const { time } = world;
  const isOver = new AbortController();
  await Promise.race([reader.isReady, time.sleep(LONGEST_BASELINE / MILLISECOND, isOver.signal)]);
  isOver.abort();
  const readyAt = time.now();
  await time.sleep(SETTLES / MILLISECOND);
  const usages = [usage()];
  const changesFrom = time.now();
  await changeStore(world, seed, setting.changesForMs);
  const changesTo = time.now();
  usages.push(usage());
  await time.sleep(setting.quietMs + 0.001);
  usages.push(usage());
  return { readyAt, changesFrom, changesTo, usages };
}

function figuresOf(
  { sentAt, opening, setting, ...world }: BenchWorld,
  { sightings, notes }: RunningReader,
  { changesFrom, changesTo }: Course,
): Omit<ReaderFigures, 'name' | 'own'> {
  // The opening has no delay: an emitted baseline shows what everyone knows.
  const isNew = ({ entity, state, at }: Change) => at >= changesFrom || opening.get(entity) !== state;
  const evidence = { opening, changes: world.changes(), sightings: sightings().filter(isNew) };
  const lastAt = evidence.changes.at(-1)?.at ?? changesTo;
  const delays = delaysOf(evidence);
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(delays, share) / SECOND);
  const during = sentAt.filter((at) => at > changesFrom && at <= changesTo).length;
  const atRest = sentAt.filter((at) => at > changesTo).length;
  return {
    ...{ p50: p50!, p99: p99!, max: max!, never: delays.never },
    wrong: setting.wrongAfter.map((seconds) => wrongAt(lastAt + seconds * SECOND, evidence)),
    requests: (during * MINUTE) / (changesTo - changesFrom),
    requestsAtRest: (atRest * MINUTE) / (setting.quietMs * MILLISECOND),
    busiestMinute: mostWithin(MINUTE, sentAt),
    notes: notes(),
  };
}

function ownFiguresOf(
  { sentAt, shownAt, setting }: RealWorld,
  { startedAt, sightings, printedAt }: ReaderProcess,
  { readyAt, changesFrom, usages: [ready, changed, rested] }: Course,
): OwnFigures {
  const ofBaseline = printedAt().filter((at) => at < changesFrom);
  const [first = 0, last = 0] = [ofBaseline[0], ofBaseline.at(-1)];
  const delays = sightings()
    .filter(({ at }) => at >= changesFrom)
    .map(({ entity, state, at }) => at - (shownAt.get(`${entity} ${state}`) ?? Number.NaN))
    .filter((delay) => delay >= 0);
  return {
    firstRequest: ((sentAt[0] ?? Number.NaN) - startedAt) / MILLISECOND,
    firstReading: (readyAt - startedAt) / MILLISECOND,
    requestsOfFirstReading: sentAt.filter((at) => at <= readyAt).length,
    baselineEvents: (ofBaseline.length * SECOND) / (last - first),
    delays: delays.map((delay) => delay / MILLISECOND).sort((one, other) => one - other),
    usage: [perMinute(ready!, changed!, setting.changesForMs), perMinute(changed!, rested!, setting.quietMs)],
  };
}

function perMinute(before: Usage, after: Usage, ms: number): Usage {
  const share = 60_000 / ms;
  return {
    cpuSeconds: (after.cpuSeconds - before.cpuSeconds) * share,
    waitSeconds: (after.waitSeconds - before.waitSeconds) * share,
    residentMb: after.residentMb,
  };
}
