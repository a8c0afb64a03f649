// A complete deployment in one thread: the reference service, the stores, and processes that start and end. All time is
// virtual, and all random numbers come from the seed.
import {
  createInProcessService,
  type InProcessService,
} from '../../../local/reference-service/in-process-service.ts';
import { createRandom, mix, type Random } from '../../../local/reference-service/store/seeded-random.ts';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import { HOUR, type Instant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import type { Log, LogFields, SnapshotStore } from '../../../shared/ports.ts';
import { TooLargeToStoreError } from '../../../shared/recording/store-errors.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { createTrace, type Trace } from '../../simulation-frame/trace.ts';
import type { Plan } from '../plan.ts';
import { createFates, type Fates } from './fates.ts';
import { type Access, BASE_URL, createNetwork, isDuring, type Network } from './network.ts';
import { createPorts, type Ports } from './ports.ts';
import { createProcess, type SimulatedProcess } from './process.ts';
import { createStores, type Inserted, type Stores } from './stores.ts';
import { createVeil, type Veil } from './veil.ts';

export interface World {
  readonly plan: Plan;
  readonly time: VirtualClock;
  readonly fates: Fates;
  readonly trace: Trace;
  readonly draws: Draws;
  readonly service: InProcessService;
  /** By the service's clock, which may be behind. */
  serviceNow(): Instant;
  /** Hides or changes groups of the service's store. */
  readonly veil: Veil;
  readonly stores: Stores;
  readonly network: Network;
  readonly log: Log;
  /** The log lines. */
  readonly logged: readonly string[];
  /** The token that the secret contains and the service accepts, with its store. */
  access(): Access;
  /** The base URL that sources are configured with. */
  address(): string;
  /** Configures another base URL. */
  move(address: string): void;
  /** Replaces the token. */
  exchange(access: Access): void;
  startProcess(kind: string): SimulatedProcess;
  portsOf(process: SimulatedProcess): Ports;
  /** When the store refused a group because of its size. */
  readonly refusals: readonly Refusal[];
  /** Called with each new entry of the ledger. */
  onInsert: (inserted: Inserted) => void;
}

export interface Refusal {
  readonly groupId: number;
  readonly at: Instant;
}

/** Random numbers by purpose, so that removing one use does not change the others. */
export type Draws = Readonly<
  Record<
    'poller' | 'relay' | 'schedule' | 'network' | 'machines' | 'stores' | 'hands' | 'mishap' | 'old' | 'lag',
    Random
  >
>;

export const FIRST_TOKEN = 'tok-4f1c0e77aa-first';
export const SECOND_TOKEN = 'tok-9b20d3c551-second';
export const OTHER_TOKEN = 'tok-61d7e2a908-other';
/** In plans with groups that are too large, one of so many: then the store takes no version of it that is larger. */
const LARGE_EVERY = 3;
/** The drift of a clock that is set by the network, fast or slow. */
const LARGEST_DRIFT = 0.00001;

export function createWorld(plan: Plan, isRead: boolean): World {
  const time = createVirtualClock();
  const trace = createTrace(time.now, isRead);
  const fates = createFates(plan);
  const draws = Object.fromEntries(
    ['poller', 'relay', 'schedule', 'network', 'machines', 'stores', 'hands', 'mishap', 'old', 'lag'].map(
      (name, index) => [name, createRandom(mix(plan.seed, 90 + index))],
    ),
  ) as unknown as Draws;
  const open = (seed: number, groups: number, lives = true) =>
    createInProcessService({
      ...{ seed, groups, knobs: plan.knobs },
      clock: { now: time.now, advance: () => {} },
      life: lives && { changesPerSecond: plan.changesPerSecond },
    });
  const service = open(plan.seed, plan.groups);
  const otherServices = {
    /** Another store with the same ids. */
    other: once(() => open(plan.seed + 1, plan.groups)),
    empty: once(() => open(plan.seed, 0, false)),
  };
  const logged: string[] = [];
  let processes = 0;

  let address = BASE_URL;
  let exchanged: Access | undefined;
  const access = (): Access => {
    const isRotated = plan.rotationMs !== undefined && time.elapsed() >= plan.rotationMs * MILLISECOND;
    return exchanged ?? { token: isRotated ? SECOND_TOKEN : FIRST_TOKEN, sees: 'own' };
  };

  const stores = createStores(time, draws.stores.fraction, (inserted) => world.onInsert(inserted));

  const refusals: Refusal[] = [];
  function refuseLarge(source: Parameters<SnapshotStore['load']>[0], snapshot: Snapshot): void {
    const { tooLarge } = plan;
    const { groupId } = snapshot;
    if (tooLarge === undefined || fates.isCalm() || !isDuring(tooLarge, time.elapsed())) return;
    if (groupId % LARGE_EVERY !== 0) return;
    const stored = stores.snapshots.all(source).find((each) => each.groupId === groupId);
    const grows = stored === undefined || JSON.stringify(snapshot).length > JSON.stringify(stored).length;
    if (!grows) return;
    trace.count('group too large to store');
    refusals.push({ groupId, at: time.now() });
    throw new TooLargeToStoreError(groupId, 500_000);
  }

  const world: World = {
    plan,
    time,
    fates,
    trace,
    draws,
    service,
    serviceNow: () => time.now() - clockBehind(service),
    veil: createVeil(service.store),
    stores,
    network: createNetwork({
      time,
      serviceOf: (sees) => (sees === 'own' ? service : otherServices[sees]()),
      fraction: draws.network.fraction,
      access,
      outage: () =>
        fates.isCalm() ? undefined : plan.outages.find((outage) => isDuring(outage, time.elapsed())),
      isCalm: fates.isCalm,
      cache: plan.cache,
      trace,
    }),
    log: createLog(logged),
    logged,
    access,
    address: () => address,
    move(next) {
      address = next;
    },
    exchange(next) {
      exchanged = next;
    },
    startProcess(kind) {
      const skew = plan.clockSkewMs * MILLISECOND * (draws.machines.fraction() * 2 - 1);
      const machine = time.machine({
        ahead: Math.round(skew),
        elapsed: Math.round(draws.machines.fraction() * HOUR),
        rate: 1 + LARGEST_DRIFT * (draws.machines.fraction() * 2 - 1),
      });
      processes += 1;
      const name = `${kind}/${processes}`;
      return createProcess({ name, time, machine, fates, trace });
    },
    refusals,
    portsOf: (process) =>
      createPorts({ process, stores, refuseLarge, fates, trace, random: draws.stores.fraction }),
    onInsert: () => {},
  };
  return world;
}

/** How far the service's clock is behind. */
export function clockBehind({ control }: InProcessService): number {
  return control.knobs().clockBehindSeconds * SECOND;
}

/** Makes it at the first call. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function createLog(logged: string[]): Log {
  const write = (message: string, fields: LogFields = {}) => {
    const parts = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
    logged.push(`${message} ${parts.join(' ')}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}

function textOf(value: LogFields[string]): string {
  if (!(value instanceof Error)) return String(value);
  const cause = value.cause instanceof Error ? textOf(value.cause) : '';
  return `${value.name} ${value.message} ${cause}`;
}
