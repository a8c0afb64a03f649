// The operator's commands. Each runs in a process of its own that may end in the middle; then it runs again.
import { restoreSource } from '../../../local/operating/restore-source.ts';
import { createRandom, mix, type Random } from '../../../local/reference-service/store/seeded-random.ts';
import { isForgotten } from '../../../shared/comparing/forget-group.ts';
import { isOwnGroup } from '../../../shared/contract/event-id.ts';
import { forgetReturnGroup } from '../../../shared/forget-return-group.ts';
import { type Instant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { RelayPorts } from '../../../shared/publishing/lane.ts';
import { redrive } from '../../../shared/publishing/redrive.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { planReplay, replay } from '../../../shared/publishing/replay.ts';
import type { StepOverPorts } from '../../../shared/publishing/step-over.ts';
import { createPresentGeneration } from '../../../shared/source/present-generation.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import type { Operation } from '../plan.ts';
import { isSimulated, type Pollers } from './pollers.ts';
import type { SimulatedProcess } from './process.ts';
import type { World } from './world.ts';

/** A forgotten group, with its last number at that time: later events continue from it. */
export interface Forgotten {
  readonly key: GroupKey;
  readonly through: number;
  /** Whether its events were erased. A command that ends early leaves only a tombstone. */
  readonly isErased: boolean;
}

export interface Operations {
  /** Resolves when all operations are done. */
  run(): Promise<void>;
  readonly forgotten: readonly Forgotten[];
  readonly ownErrors: readonly Error[];
}

const MOST_TRIES = 40;
const TRIES_AGAIN_AFTER_MS = 5_000;
const GROUP_MS = 20_000;
/** The maximum time of each step of a restore. */
const LONGEST_STOP_MS = 90_000;
const EVENTS_PER_SECOND = 200;

export function createOperations(world: World, sources: readonly Pollers[]): Operations {
  const { plan, time, trace } = world;
  const random = createRandom(mix(plan.seed, 79));
  const forgotten: Forgotten[] = [];
  const ownErrors: Error[] = [];

  async function run({ what, atMs }: Operation): Promise<void> {
    await time.sleep(Math.max(0, atMs - time.elapsed() / MILLISECOND));
    const operation = await OPERATIONS[what]({ world, sources, random, forgotten });
    for (let tries = 1; operation !== undefined; tries += 1) {
      trace.note('operator', what, () => `${tries}`);
      const outcome = await attempt(operation);
      if (outcome === 'done') break;
      if (tries >= MOST_TRIES) {
        // A command that crashes, or whose calls fail, is not to blame; the operator stops trying.
        if (outcome === 'cut off') return trace.count('operator gives up');
        ownErrors.push(new Error(`The operator's ${what} is not done after ${MOST_TRIES} tries.`));
        return;
      }
      await time.sleep(TRIES_AGAIN_AFTER_MS);
    }
    if (operation !== undefined) trace.count(`operator ${what}`);
  }

  /** Runs the command once. */
  async function attempt(operation: Command): Promise<'done' | 'not done' | 'cut off'> {
    const process = world.startProcess('operator');
    try {
      const ended = process.ended.then(() => 'cut off' as const);
      return await Promise.race([operation(process).then((isDone) => (isDone ? 'done' : 'not done')), ended]);
    } catch (error) {
      trace.note('operator', 'fails', () => String(error));
      if (isSimulated(error)) return 'cut off';
      const isExpected = error instanceof Error && EXPECTED.test(error.message);
      if (!isExpected) ownErrors.push(error instanceof Error ? error : new Error(String(error)));
      return 'not done';
    } finally {
      process.kill('its command is over');
    }
  }

  return {
    async run() {
      for (const operation of plan.operations) await run(operation);
    },
    forgotten,
    ownErrors,
  };
}

/** Messages of commands that ask the operator to try again. */
const EXPECTED = /try again|is being saved all the time/;

/** @returns whether the operation is done */
type Command = (process: SimulatedProcess) => Promise<boolean>;

interface Context {
  readonly world: World;
  readonly sources: readonly Pollers[];
  readonly random: Random;
  readonly forgotten: Forgotten[];
}

/** Prepares an operation once, so that every attempt runs the same command. Undefined if there is nothing to do. */
const OPERATIONS: Record<Operation['what'], (context: Context) => Promise<Command | undefined>> = {
  replay: (context) => replaying(context, undefined),
  'replay from': (context) =>
    replaying(context, context.world.time.now() - Math.floor(context.random.fraction() ** 2 * 120 * SECOND)),
  redrive: (context) => redriving(context, false),
  'redrive and skip': (context) => redriving(context, true),
  forget: forgetting,
  restore: restoring,
  upgrade: upgrading,
};

async function statesOf({ world, sources }: Context): Promise<SourceState[]> {
  const states = await Promise.all(sources.map(({ source }) => world.stores.states.load(source)));
  return states.filter((state) => state !== undefined);
}

async function keysOf({ stores }: World, { source, generation }: SourceState): Promise<GroupKey[]> {
  const keys: GroupKey[] = [];
  for await (const { key } of stores.ledger.groups()) {
    if (key.source === source && key.generation === generation && !isOwnGroup(key.group)) keys.push(key);
  }
  return keys;
}

async function replaying(context: Context, from: Instant | undefined): Promise<Command | undefined> {
  const { world, random } = context;
  const [state] = await statesOf(context);
  if (state === undefined) return undefined;
  const window = { from, until: undefined };
  const replayId = `r${random.below(1_000_000)}`;
  const arrivals = random.chance(0.7) ? world.stores.queue : world.stores.bus;
  return async (process) => {
    const { ledger, marks, destination } = world.portsOf(process);
    const ports = { ledger, destination: destination(arrivals), clock: process.clock, log: world.log };
    const seen = { ...ledger, ledger, marks, destination: arrivals.name };
    const plan = await planReplay(seen, await keysOf(world, state), window);
    const options = { replayId, eventsPerSecond: EVENTS_PER_SECOND };
    const { isGivenUp } = await replay({ ...ports, random: random.fraction }, plan, options);
    return !isGivenUp;
  };
}

async function redriving(context: Context, skips: boolean): Promise<Command | undefined> {
  const { world, random } = context;
  const [state] = await statesOf(context);
  if (state === undefined) return undefined;
  return async (process) => {
    for (const arrivals of [world.stores.queue, world.stores.bus]) {
      const { ledger, marks, states, destination } = world.portsOf(process);
      const ports: RelayPorts & StepOverPorts = {
        presentGeneration: createPresentGeneration(states),
        ...{ ledger, marks, destination: destination(arrivals) },
        ...{ clock: process.clock, log: world.log, random: random.fraction },
      };
      const relay = createRelay(ports);
      for (const key of await keysOf(world, state)) {
        const { outcome } = await redrive(ports, relay, key, GROUP_MS);
        if (outcome.state !== 'behind' || !skips) continue;
        const { steppedOver } = await redrive(ports, relay, key, GROUP_MS, { stepOver: outcome.sequence });
        if (steppedOver !== undefined) world.trace.count('operator steps over an event');
      }
    }
    return true;
  };
}

/** Forgets a group that has events, mostly one that still exists. */
async function forgetting(context: Context): Promise<Command | undefined> {
  const { world, random, forgotten } = context;
  const { stores } = world;
  const [state] = await statesOf(context);
  if (state === undefined) return undefined;
  const keys = await keysOf(world, state);
  if (keys.length === 0) return undefined;
  const group = random.pick(keys).group as number;
  return async (process) => {
    const { states, store, ledger, marks } = world.portsOf(process);
    const present = await states.load(state.source);
    if (present === undefined) return false;
    // Both are recorded even if the command gets no answer.
    const eraser = {
      async erase(key: GroupKey, through: number) {
        forgotten.push({ key, through, isErased: true });
        stores.ledger.expire(key, through);
        return through;
      },
    };
    const burying: typeof store = {
      ...store,
      async save(key, save) {
        try {
          return await store.save(key, save);
        } finally {
          for (const snapshot of stores.snapshots.all(key)) {
            if (snapshot.groupId !== group || !isForgotten(snapshot)) continue;
            forgotten.push({ key, through: snapshot.sequence, isErased: false });
          }
        }
      },
    };
    const ports = {
      ...{ states, store: burying, ledger, marks, eraser, clock: process.clock, log: world.log },
    };
    await forgetReturnGroup(ports, present, group, ['queue', 'bus']);
    return true;
  };
}

/** Restores a backup from an earlier moment: later saves are missing. New processes read it. */
async function restoring(context: Context): Promise<Command | undefined> {
  const { world, sources, random } = context;
  const { stores, time } = world;
  const backup = await statesOf(context);
  if (backup.length < sources.length) return undefined;
  await time.sleep(random.fraction() * LONGEST_STOP_MS);
  const place = `restored-${random.below(1_000_000)}`;
  stores.states.moveTo(place, backup);
  for (const pollers of sources) pollers.replace();
  await time.sleep(random.fraction() * LONGEST_STOP_MS);
  return async (process) => {
    const { states } = world.portsOf(process);
    for (const { source } of sources) {
      const state = await states.load(source);
      if (state === undefined || state.mintedIn === place) continue;
      await restoreSource(states, state, { force: false, now: process.clock.now() });
    }
    return true;
  };
}

/** Replaces all processes at once. */
async function upgrading({ sources }: Context): Promise<Command> {
  return async () => {
    for (const pollers of sources) pollers.replace();
    return true;
  };
}
