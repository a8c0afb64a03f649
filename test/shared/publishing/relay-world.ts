// A small model of the relay's environment: the events that show in the ledger, by group, the marks, and every event
// that reached the destination, in the order of arrival. Each call goes through a gate, where a test may delay it, fail
// it, or never answer it.

import type { GroupKey, Ledger, LedgerEntry, Marks } from '../../../shared/ports.ts';
import type { RelayPorts } from '../../../shared/publishing/lane.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { formatGroupKey, parseGroupKey } from '../../../shared/recording/group-key.ts';
import { createMemoryDestination, type MemoryDestination } from '../../fakes/memory-destination.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { anEvent } from './an-event.ts';
import { createKeptLog } from './kept-log.ts';

/** Executes a call or fails it; the call's name begins with the name of its port. */
export type Gate = <Result>(call: string, effect: () => Result) => Promise<Result>;

export interface World {
  /** Numbers of the events that the ledger shows, by group. */
  readonly shown: Map<string, Set<number>>;
  readonly undecodable: Set<string>;
  readonly marks: Map<string, number>;
  readonly behind: Map<string, string>;
  readonly destination: MemoryDestination;
  readonly log: ReturnType<typeof createKeptLog>;
  show(key: GroupKey, ...sequences: number[]): void;
  numbersArrived(key: GroupKey): number[];
  ports(gate: Gate): Omit<RelayPorts, 'clock' | 'random'>;
}

export const openGate: Gate = async (_call, effect) => effect();

export function createWorld(): World {
  const world: World = {
    shown: new Map(),
    undecodable: new Set(),
    marks: new Map(),
    behind: new Map(),
    destination: createMemoryDestination(),
    log: createKeptLog(),
    show(key, ...sequences) {
      const shown = world.shown.get(formatGroupKey(key)) ?? new Set();
      for (const sequence of sequences) shown.add(sequence);
      world.shown.set(formatGroupKey(key), shown);
    },
    numbersArrived: (key) =>
      world.destination.received
        .filter(({ id }) => id.startsWith(`${formatGroupKey(key)}_`))
        .map(({ data }) => data.sequence),
    ports: (gate) => ({
      ledger: ledgerOf(world, gate),
      marks: marksOf(world, gate),
      destination: {
        name: world.destination.name,
        send: (events) => gate('destination.send', () => world.destination.accept(events)),
      },
      log: world.log,
    }),
  };
  return world;
}

function ledgerOf(world: World, gate: Gate): Ledger {
  const entry = (key: GroupKey, sequence: number): LedgerEntry =>
    world.undecodable.has(`${formatGroupKey(key)}_${sequence}`)
      ? { sequence, undecodable: 'of a later format' }
      : { sequence, event: anEvent(key, sequence) };
  return {
    read: (key, after, limit) =>
      gate('ledger.read', () =>
        [...(world.shown.get(formatGroupKey(key)) ?? [])]
          .filter((sequence) => sequence > after)
          .sort((a, b) => a - b)
          .slice(0, limit)
          .map((sequence) => entry(key, sequence)),
      ),
    append: (key, event) =>
      gate('ledger.append', () => {
        if (world.shown.get(formatGroupKey(key))?.has(event.data.sequence)) return 'conflict';
        world.show(key, event.data.sequence);
        return 'saved';
      }),
    async *groups() {
      for (const [text, sequences] of world.shown) {
        const key = parseGroupKey(text);
        if (key !== undefined && sequences.size > 0) yield { key, last: Math.max(...sequences) };
      }
    },
  };
}

function marksOf(world: World, gate: Gate): Marks {
  const place = (destination: string, key: GroupKey) => `${destination}#${formatGroupKey(key)}`;
  return {
    load: (destination, key) => gate('marks.load', () => world.marks.get(place(destination, key))),
    advance: (destination, key, sequence) =>
      gate('marks.advance', () => {
        const at = place(destination, key);
        if (sequence <= (world.marks.get(at) ?? 0)) return false;
        world.marks.set(at, sequence);
        world.behind.delete(at);
        return true;
      }),
    noteBehind: (destination, key, stop) =>
      gate('marks.noteBehind', () => {
        const at = place(destination, key);
        if (stop === undefined) return world.behind.delete(at);
        if (stop.sequence <= (world.marks.get(at) ?? 0)) return false;
        world.behind.set(at, `${stop.sequence}: ${stop.reason}`);
        return true;
      }),
  };
}

/** More than any test needs: a relay that reads the same again and again fails. */
const MOST_CALLS = 1_000;

/** Runs a relay on virtual time; returns the outcomes and the duration. */
export async function relayIn(
  world: World,
  groups: readonly GroupKey[],
  {
    gate = openGate,
    timeLeftMs = 60_000,
    sendTakesMs = 0,
    ...ports
  }: Partial<RelayPorts> & { gate?: Gate; timeLeftMs?: number; sendTakesMs?: number } = {},
) {
  const clock = createVirtualClock();
  let calls = 0;
  const slowGate: Gate = async (call, effect) => {
    calls += 1;
    if (calls > MOST_CALLS) throw new Error('The relay does not end.');
    if (call === 'destination.send' && sendTakesMs > 0) await clock.sleep(sendTakesMs);
    return gate(call, effect);
  };
  const run = createRelay({ ...world.ports(slowGate), clock, random: () => 0.5, ...ports });
  const outcomes = await clock.run(run(groups, timeLeftMs));
  return { outcomes, tookMs: clock.elapsed() / 1000 };
}

export function failingOnce(name: string): Gate {
  let failed = false;
  return async (call, effect) => {
    if (call === name && !failed) {
      failed = true;
      throw new Error('unavailable');
    }
    return effect();
  };
}

export function listing(calls: string[]): Gate {
  return async (call, effect) => {
    calls.push(call);
    return effect();
  };
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
