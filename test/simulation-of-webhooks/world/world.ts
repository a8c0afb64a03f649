// The state that outlives processes, and the start of processes.

import { createRandom, mix, type Random } from '../../../local/reference-service/store/seeded-random.ts';
import type { Instant } from '../../../shared/instant.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { Ledger, Log, SnapshotStore } from '../../../shared/ports.ts';
import type { PresentGeneration } from '../../../shared/source/present-generation.ts';
import type { EndpointStates, WebhookMarks } from '../../../shared/webhooks/webhook-ports.ts';
import { createMemoryEndpointStates } from '../../fakes/memory-endpoint-states.ts';
import { createMemoryMarks, type MemoryMarks } from '../../fakes/memory-marks.ts';
import { createVirtualClock, type MachineClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { hashOf } from '../../simulation-frame/drawn-fates.ts';
import { createTrace, type Trace } from '../../simulation-frame/trace.ts';
import type { Attempt } from '../checker/evidence.ts';
import type { ClockAhead, Plan } from '../plan.ts';
import { createFates, type Fates } from './fates.ts';
import { createLedger, type Entry, type SimulatedLedger } from './ledger.ts';
import { createProcess, type SimulatedProcess } from './process.ts';
import type { Writable } from './receiver.ts';
import { createSnapshots, type SimulatedSnapshots } from './snapshots.ts';

export interface World {
  readonly plan: Plan;
  readonly time: VirtualClock;
  /** The moment at which the plan begins. */
  readonly start: Instant;
  readonly fates: Fates;
  readonly trace: Trace;
  readonly ledger: SimulatedLedger;
  readonly snapshots: SimulatedSnapshots;
  readonly marks: MemoryMarks;
  readonly endpoints: EndpointStates;
  readonly log: Log;
  /** The present generation of a source. */
  generationOf(source: string): string;
  /** Called for each new entry of the ledger. */
  onInsert: (entry: Entry) => void;
  /** An independent generator of random numbers for each purpose. */
  randomFor(purpose: string): Random;
  startProcess(name: string): Started;
  /** The same for a sender, whose clock may be days ahead. */
  startSender(name: string): Started;
}

/** A process with its connections to the tables. */
export interface Started {
  readonly process: SimulatedProcess;
  readonly ledger: Ledger;
  readonly snapshots: Pick<SnapshotStore, 'load'>;
  readonly marks: WebhookMarks;
  readonly endpoints: EndpointStates;
  readonly presentGeneration: PresentGeneration;
  /** The process's last decision and attempt, for the records of attempts. */
  readonly last: { decidedAt: Instant; attempt: Writable<Attempt> | undefined };
}

const NO_CLOCK_AHEAD: ClockAhead = { fromMs: 0, toMs: 0, byMs: 0, share: 0 };
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function createWorld(plan: Plan, isRead: boolean): World {
  const time = createVirtualClock();
  const trace = createTrace(time.now, isRead);
  const fates = createFates(plan);
  const randomFor = (purpose: string) => createRandom(mix(plan.seed, hashOf(purpose)));
  const [shows, skews, senders] = [randomFor('shows'), randomFor('clocks'), randomFor('senders')];
  const startOn = (name: string, machine: MachineClock) =>
    withTables(world, createProcess({ name, time, machine, fates, trace, latency: plan.latency }));
  const skewed = () =>
    time.machine({ ahead: Math.round((skews.fraction() - 0.5) * 2 * plan.clockSkewMs * MILLISECOND) });
  const world: World = {
    plan,
    time,
    start: time.now(),
    fates,
    trace,
    ledger: createLedger(time, shows.fraction, (entry) => world.onInsert(entry)),
    snapshots: createSnapshots(time, randomFor('snapshots show').fraction),
    marks: createMemoryMarks(),
    endpoints: createMemoryEndpointStates(),
    log: SILENT,
    generationOf(source) {
      const isNew =
        time.now() >= world.start + (plan.newGenerationMs ?? Number.POSITIVE_INFINITY) * MILLISECOND;
      return source === 's1' && isNew ? 'g2' : 'g1';
    },
    onInsert: () => {},
    randomFor,
    startProcess: (name) => startOn(name, skewed()),
    startSender(name) {
      const machine = skewed();
      const { fromMs, toMs, byMs, share } = plan.clockAhead ?? NO_CLOCK_AHEAD;
      const atMs = (time.now() - world.start) / MILLISECOND;
      if (atMs >= fromMs && atMs < toMs && senders.chance(share)) {
        trace.count('sender with a clock ahead');
        machine.jump(byMs * MILLISECOND);
      }
      return startOn(name, machine);
    },
  };
  return world;
}

function withTables(
  { ledger, snapshots, marks, endpoints, time, generationOf }: World,
  process: SimulatedProcess,
): Started {
  const last: Started['last'] = { decidedAt: 0, attempt: undefined };
  /** Runs an effect that does not belong to the last attempt. */
  const beyond = <Result>(effect: () => Result) => {
    last.attempt = undefined;
    return effect();
  };
  return {
    process,
    last,
    ledger: {
      read: (...args) => process.call('ledger.read', () => ledger.read(...args)),
      append: (...args) => process.call('ledger.append', () => ledger.append(...args)),
      async *groups() {
        await process.call('ledger.groups', () => {});
        yield* ledger.groups();
      },
    },
    snapshots: {
      load: (...args) => process.call('snapshots.load', () => snapshots.load(...args)),
    },
    marks: {
      load: (...args) => process.call('marks.load', () => marks.load(...args)),
      advance: (...args) => process.call('marks.advance', () => beyond(() => marks.advance(...args))),
      noteBehind: (...args) =>
        process.call('marks.noteBehind', () => beyond(() => marks.noteBehind(...args))),
      position: (...args) => process.call('marks.position', () => marks.position(...args)),
      noteFailing: (...args) =>
        process.call('marks.noteFailing', () => beyond(() => marks.noteFailing(...args))),
    },
    presentGeneration: (source) => process.call('states.load', () => generationOf(source)),
    endpoints: {
      load: (webhook) =>
        process.call('endpoints.load', () => {
          last.decidedAt = time.now();
          return endpoints.load(webhook);
        }),
      save: (webhook, state, version) =>
        process.call('endpoints.save', async () => {
          const result = await endpoints.save(webhook, state, version);
          if (result === 'saved' && last.attempt !== undefined) last.attempt.notedAt ??= time.now();
          return result;
        }),
    },
  };
}
