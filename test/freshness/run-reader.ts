// Runs one reader in one setting: the store does not change until the reader has read it, changes for a minute, and
// then does not change any more.

import { type Instant, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import { changeStore } from './change-store.ts';
import { createFreshnessWorld, type FreshnessWorld, type WorldOptions } from './freshness-world.ts';
import { delaysOf, quantile, type StatusChange, wrongAt } from './measure.ts';
import { createOrdinaryReader, type OrdinaryKind } from './ordinary-readers.ts';
import { createOurFeed, type FeedOptions, type OurFeed } from './our-feed.ts';
import { countKinds, type KindCounts } from './request-kinds.ts';
import { type PassFigures, passesSince, rowsPerRequest } from './rows-per-request.ts';

export type ReaderOptions =
  | ({ readonly name: string; readonly kind: 'ours' } & FeedOptions)
  | { readonly name: string; readonly kind: OrdinaryKind; readonly everyMs: number };

export interface Figures {
  readonly setting: string;
  readonly groups: number;
  readonly seed: number;
  readonly reader: string;
  /** The duration of the first reading of all groups, in seconds. */
  readonly baselineSeconds: number;
  /** The number of changes of groups, and of changes of statuses among them. */
  readonly changes: number;
  readonly statuses: number;
  /** The number of wrongly known statuses, this long after the last change. */
  readonly wrong: { readonly after0s: number; readonly after40s: number; readonly after3min: number };
  /** Seconds from a change's stamp until the reader knew it; infinite if it never did. */
  readonly delay: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
  readonly never: number;
  /** Requests in the minute of changes, by purpose, and requests per minute after it. */
  readonly requests: { readonly poll: number; readonly reconciliation: number; readonly all: number };
  readonly requestsAtRest: number;
  readonly kinds: KindCounts;
  readonly kindsAtRest: KindCounts;
  /** Distinct rows ÷ requests ÷ rows of a page, in walks over all groups; undefined if none completed. */
  readonly rowsPerRequest: number | undefined;
  readonly rowsPerRequestAtRest: number | undefined;
  /** The time in which all requests together showed every group again. */
  readonly passes: PassFigures;
  readonly passesAtRest: PassFigures;
  /** Walks over all groups that completed, and their mean length in seconds. */
  readonly walks: number;
  readonly walkSeconds: number | undefined;
  readonly holds: readonly string[];
  readonly errors: readonly string[];
  /** Processor time of the whole run, in seconds. */
  readonly processorSeconds: number;
}

const LONGEST_BASELINE = 600 * MINUTE;
/** The time until the reader polls at its usual pace. */
const SETTLES = 30 * SECOND;
const CHANGES_FOR = MINUTE;
const QUIET_FOR = 3 * MINUTE;
const SHORTER_QUIET = 40 * SECOND;

export async function runReader(options: WorldOptions, reader: ReaderOptions): Promise<Figures> {
  const startedAt = process.cpuUsage();
  const world = createFreshnessWorld(options);
  const known = reader.kind === 'ours' ? ourReader(world, reader) : ordinaryReader(world, reader);
  const times = await world.time.run(live(world, options.seed, known), 2 * LONGEST_BASELINE);
  const state = await known.feed?.state();
  const { user, system } = process.cpuUsage(startedAt);
  return {
    ...{ setting: options.setting.name, groups: options.groups, seed: options.seed, reader: reader.name },
    ...figuresOf(world, known, times),
    holds: state === undefined ? [] : state.holds.map(({ kind }) => kind),
    errors: [...new Set(known.feed?.errors)],
    processorSeconds: (user + system) / 1_000_000,
  };
}

interface Known {
  readonly sightings: readonly StatusChange[];
  readonly isReady: Promise<void>;
  readonly walksEndedAt: readonly number[];
  readonly feed?: OurFeed;
  run(): Promise<void>;
  stop(): void;
}

function ourReader(world: FreshnessWorld, options: FeedOptions): Known {
  const feed = createOurFeed(world, options);
  return { ...feed, feed };
}

function ordinaryReader(
  world: FreshnessWorld,
  { kind, everyMs }: { readonly kind: OrdinaryKind; readonly everyMs: number },
): Known {
  return { ...createOrdinaryReader(world, kind, everyMs), isReady: Promise.resolve() };
}

interface Times {
  readonly began: Instant;
  readonly readyAt: Instant;
  readonly changesFrom: Instant;
  readonly changesTo: Instant;
}

async function live(world: FreshnessWorld, seed: number, reader: Known): Promise<Times> {
  const { time } = world;
  const began = time.now();
  const running = reader.run();
  await Promise.race([reader.isReady, time.sleep(LONGEST_BASELINE / MILLISECOND), running]);
  const readyAt = time.now();
  await time.sleep(SETTLES / MILLISECOND);
  const changesFrom = time.now();
  await changeStore(world, seed, CHANGES_FOR / MILLISECOND);
  const changesTo = time.now();
  await time.sleep(QUIET_FOR / MILLISECOND + 1);
  reader.stop();
  await running;
  return { began, readyAt, changesFrom, changesTo };
}

function figuresOf(world: FreshnessWorld, reader: Known, { began, readyAt, changesFrom, changesTo }: Times) {
  const { exchanges, opening, service } = world;
  const { sightings } = reader;
  const changes = world.changes();
  const lastAt = changes.at(-1)?.at ?? changesTo;
  const delays = delaysOf(opening, changes, sightings);
  const wrong = (after: number) => wrongAt(lastAt + after, opening, changes, sightings);
  const during = exchanges.filter(({ at }) => at >= changesFrom && at < changesTo);
  const atRest = exchanges.filter(({ at }) => at >= changesTo);
  const polls = during.filter(({ purpose }) => purpose !== 'reconciliation').length;
  const walks = rowsPerRequest(exchanges, reader.walksEndedAt, service, { changesFrom, changesTo });
  return {
    baselineSeconds: (readyAt - began) / SECOND,
    changes: service.control.history().length,
    statuses: changes.length,
    wrong: { after0s: wrong(0), after40s: wrong(SHORTER_QUIET), after3min: wrong(QUIET_FOR) },
    delay: {
      p50: quantile(delays, 0.5),
      p90: quantile(delays, 0.9),
      p99: quantile(delays, 0.99),
      max: quantile(delays, 1),
    },
    never: delays.never,
    requests: { poll: polls, reconciliation: during.length - polls, all: during.length },
    requestsAtRest: Math.round((atRest.length * MINUTE) / QUIET_FOR),
    kinds: countKinds(during),
    kindsAtRest: countKinds(atRest),
    ...walks,
    passes: passesSince(changesFrom, exchanges, service),
    passesAtRest: passesSince(changesTo, exchanges, service),
  };
}
