// A process's ports: the run's stores, with each call through `process.call`. For sequences of calls, the AWS adapters' own
// code runs (`readUntilWhole` requests the rest of a batch).
import { readUntilWhole } from '../../../functions/adapters/read-until-whole.ts';
import type { Snapshot } from '../../../shared/comparing/snapshot.ts';
import { MAX_BATCH_ENTRIES } from '../../../shared/limits.ts';
import type {
  Destination,
  KnownGroup,
  Ledger,
  Marks,
  SaveResult,
  SnapshotStore,
  SourceStates,
} from '../../../shared/ports.ts';
import type { Trace } from '../../simulation-frame/trace.ts';
import { describeState } from '../source-facts.ts';
import type { Arrivals } from './arrivals.ts';
import type { CallName } from './calls.ts';
import { createDestination } from './destination.ts';
import type { Fates } from './fates.ts';
import type { SimulatedProcess } from './process.ts';
import type { Stores } from './stores.ts';

export interface Ports {
  readonly states: SourceStates;
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly marks: Marks;
  destination(arrivals: Arrivals): Destination;
}

export interface PortsOptions {
  readonly process: SimulatedProcess;
  readonly stores: Stores;
  /** @throws TooLargeToStoreError like the adapter, which measures before it writes */
  refuseLarge(source: Parameters<SnapshotStore['load']>[0], snapshot: Snapshot): void;
  readonly fates: Fates;
  readonly trace: Trace;
  /** From 0 to below 1. */
  readonly random: () => number;
}

export function createPorts(options: PortsOptions): Ports {
  const { process, stores, fates, trace } = options;
  const { call } = process;
  const { states } = stores;
  return {
    states: {
      load: (source) => call('states.load', () => states.load(source)),
      save: (state, version) => {
        trace.tell(process.name, () => describeState(state));
        return call('states.save', () => states.save(state, version));
      },
      identity: () => call('states.identity', () => states.identity()),
    },
    marks: marksOf(process, stores),
    store: snapshotStoreOf(options),
    ledger: ledgerOf(process, stores),
    destination: (arrivals) => createDestination(process, arrivals, fates),
  };
}

function marksOf({ call }: SimulatedProcess, { marks }: Stores): Marks {
  const sideOf = (name: string) => (name === 'queue' ? 'queue' : 'bus');
  return {
    load: (name, key) => call(`marks.load ${sideOf(name)}`, () => marks.load(name, key)),
    advance: (name, key, sequence) =>
      call(`marks.advance ${sideOf(name)}`, () => marks.advance(name, key, sequence)),
    noteBehind: (name, key, reason) =>
      call(`marks.noteBehind ${sideOf(name)}`, () => marks.noteBehind(name, key, reason)),
  };
}

function snapshotStoreOf({ process, stores, refuseLarge, fates, random }: PortsOptions): SnapshotStore {
  const { call } = process;
  const { snapshots } = stores;

  /** Some of the wanted snapshots, and the ids that were left unprocessed. */
  async function readSome(source: Parameters<SnapshotStore['load']>[0], wanted: readonly number[]) {
    const isPartial = wanted.length > 1 && fates.happens('store.load in part', 'partial');
    const processed = isPartial ? wanted.slice(0, Math.ceil(wanted.length / 2)) : wanted;
    const answered = await snapshots.load(source, processed);
    return { items: [...answered.values()], left: wanted.slice(processed.length) };
  }

  /** Returns pages, like a query. */
  async function* inPages(name: CallName, groups: AsyncIterable<KnownGroup>): AsyncGenerator<KnownGroup> {
    const known: KnownGroup[] = [];
    for await (const group of groups) known.push(group);
    for (let at = 0; at === 0 || at < known.length; at += MAX_BATCH_ENTRIES) {
      yield* await call(name, () => known.slice(at, at + MAX_BATCH_ENTRIES));
    }
  }

  return {
    async load(source, groups) {
      const read = (some: readonly number[]) => call('store.load', () => readSome(source, some));
      const found = await readUntilWhole(groups, read, { clock: process.clock, random });
      return new Map(found.map((snapshot) => [snapshot.groupId, snapshot]));
    },
    async save(key, save) {
      refuseLarge(key, save.snapshot);
      return call('store.save', () => snapshots.save(key, save));
    },
    async saveAll(source, saves) {
      for (const { snapshot } of saves) refuseLarge(source, snapshot);
      const results: SaveResult[] = [];
      // One write per batch: any of them may be the last.
      for (let at = 0; at < saves.length; at += MAX_BATCH_ENTRIES) {
        const some = saves.slice(at, at + MAX_BATCH_ENTRIES);
        results.push(...(await call('store.saveAll', () => snapshots.saveAll(source, some))));
      }
      return results;
    },
    knownCreatedBetween: (source, from, to) =>
      inPages('store.knownCreatedBetween', snapshots.knownCreatedBetween(source, from, to)),
  };
}

function ledgerOf({ call }: SimulatedProcess, { ledger, isShown }: Stores): Ledger {
  return {
    read: (key, after, limit) =>
      call('ledger.read', async () => {
        const entries = await ledger.read(key, after, limit);
        return entries.filter((entry) => 'undecodable' in entry || isShown(entry.event));
      }),
    append: (key, event) => call('ledger.append', () => ledger.append(key, event)),
    async *groups() {
      const groups: { readonly key: Parameters<Ledger['read']>[0]; readonly last: number }[] = [];
      for await (const group of ledger.groups()) groups.push(group);
      yield* await call('ledger.groups', () => groups);
    },
  };
}
