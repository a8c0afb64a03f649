// Relays in any interleaving: duplicate, late or lost records; half visible transactions; several relays at once; calls
// that fail before or after their effect, or take effect much later; runs that die at any call.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_BATCH_ENTRIES } from '../../../shared/limits.ts';
import type { Clock, GroupKey, SendResult } from '../../../shared/ports.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import { parseGroupKey } from '../../../shared/recording/group-key.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { aKey } from './an-event.ts';
import { createInterleaver, type Interleaver } from './interleaver.ts';
import { createWorld, type Gate, openGate, type World } from './relay-world.ts';

/** The sizes of a group's transactions. */
const transactions = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
const groupsOfTransactions = fc.oneof(
  fc.array(transactions, { minLength: 1, maxLength: 3 }),
  fc.array(transactions, { minLength: 1, maxLength: 12, size: 'max' }),
);
/** The choice among the possible next steps, each time. */
const choices = fc.array(fc.nat({ max: 0xffff }), { maxLength: 400, size: 'max' });
/** The destination's answers for events, in order. */
const verdicts = fc.array(fc.constantFrom('sent', 'sent', 'sent', 'failed', 'rejected'), { maxLength: 40 });

describe('any number of relays in any interleaving', () => {
  test('make the first deliveries of each group in the order 1, 2, 3 …, skip nothing, and deliver everything in the end', async () => {
    const counts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(groupsOfTransactions, choices, verdicts, async (sizes, tape, answers) => {
        const world = createWorld();
        world.destination.answer = answering(answers);
        const interleaver = createInterleaver();

        await live(world, interleaver, sizes, tape);
        for (const [name, count] of interleaver.counts) counts.set(name, (counts.get(name) ?? 0) + count);
        world.destination.answer = () => ({ sent: true });
        await relayAll(world, sizes);

        for (const [index, own] of sizes.entries()) {
          const total = own.reduce((sum, size) => sum + size, 0);
          expect(firsts(world.numbersArrived(aKey(index)))).toEqual(upTo(total));
        }
      }),
      { numRuns: 200 },
    );
    expect([...counts.keys()].sort()).toEqual(everyCallInEveryWay());
  });
});

describe('a relay that dies at any call', () => {
  test('causes at most one batch of repeated events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 25 }),
        fc.nat({ max: 200 }),
        fc.boolean(),
        async (sizes, lastCall, takesEffect) => {
          const world = createWorld();
          for (const [index, size] of sizes.entries()) world.show(aKey(index), ...upTo(size));

          await relayUntilItDies(world, keysOf(sizes), lastCall, takesEffect);
          await relayAll(world, sizes);

          const arrived = world.destination.received.map(({ id }) => id);
          expect(arrived.length - new Set(arrived).size).toBeLessThanOrEqual(MAX_BATCH_ENTRIES);
          expect(new Set(arrived).size).toBe(sizes.reduce((sum, size) => sum + size, 0));
        },
      ),
    );
  });
});

/** Runs writers and relays until the choices are used up. */
async function live(
  world: World,
  interleaver: Interleaver,
  sizes: readonly number[][],
  tape: readonly number[],
) {
  const unwritten = sizes.map((own, index) => eventsOf(aKey(index), own));
  const records: GroupKey[] = [];
  let runs = 0;
  for (const [at, choice] of tape.entries()) {
    const steps = interleaver.steps();
    const writable = unwritten.filter((own) => own.length > 0);
    if (writable.length > 0)
      steps.push(() => write(world, writable[choice % writable.length] ?? [], choice, records));
    if (records.length > 0) {
      // A drawn record may be delivered again later; a record that is never drawn is lost.
      const count = 1 + (choice % 5);
      const groups = Array.from(
        { length: count },
        (_, index) => records[(choice * (index + 1)) % records.length],
      );
      steps.push(() => {
        const gate = watchingMarks(world, interleaver.gate(runs++));
        begin(
          world,
          gate,
          groups.flatMap((key) => key ?? []),
        );
      });
    }
    steps[(choice + at) % Math.max(1, steps.length)]?.();
    await settled();
  }
  interleaver.drain();
  for (const own of unwritten) while (own.length > 0) write(world, own, 0, records);
}

type Written = { key: GroupKey; transaction: number[] };

function eventsOf(key: GroupKey, sizes: readonly number[]): Written[] {
  let last = 0;
  return sizes.map((size) => {
    const transaction = Array.from({ length: size }, (_, index) => last + index + 1);
    last += size;
    return { key, transaction };
  });
}

/** Shows another event of the current transaction, in any order; the next transaction waits until all of them show. */
function write(world: World, unwritten: Written[], choice: number, records: GroupKey[]) {
  const first = unwritten[0];
  if (first === undefined) return;
  world.show(first.key, ...first.transaction.splice(choice % first.transaction.length, 1));
  records.push(first.key);
  if (first.transaction.length === 0) unwritten.shift();
}

function begin(world: World, gate: Gate, groups: readonly GroupKey[]) {
  const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: () => gate('clock.sleep', () => undefined) };
  void createRelay({ ...world.ports(gate), clock, random: () => 0.5 })(groups, 60_000);
}

/** Checks that a mark never moves beyond the events that arrived without a gap. */
function watchingMarks(world: World, gate: Gate): Gate {
  return (name, effect) =>
    gate(name, () => {
      const result = effect();
      if (name !== 'marks.advance') return result;
      for (const [at, mark] of world.marks) {
        const key = parseGroupKey(at.slice('queue#'.length)) ?? aKey(-1);
        expect(firsts(world.numbersArrived(key)).slice(0, mark)).toEqual(upTo(mark));
      }
      return result;
    });
}

/** Continues a run up to this call, which takes effect or not. */
async function relayUntilItDies(
  world: World,
  groups: readonly GroupKey[],
  lastCall: number,
  takesEffect: boolean,
) {
  let calls = 0;
  const gate: Gate = (_name, effect) =>
    new Promise((resolve) => {
      calls += 1;
      if (calls < lastCall) resolve(effect());
      else if (calls === lastCall && takesEffect) effect();
    });
  begin(world, gate, groups);
  await settled();
}

/** Redelivers all records, without failures. */
async function relayAll(world: World, sizes: readonly unknown[]) {
  const clock = createVirtualClock();
  const run = createRelay({ ...world.ports(openGate), clock, random: () => 0 });
  const outcomes = await clock.run(run(keysOf(sizes), 60_000));
  expect(outcomes).toEqual(sizes.map(() => ({ state: 'done' })));
}

function answering(verdicts: readonly ('sent' | 'failed' | 'rejected')[]): () => SendResult {
  let at = 0;
  return () => {
    const cause = verdicts[at++ % Math.max(1, verdicts.length)] ?? 'sent';
    return cause === 'sent' ? { sent: true } : { sent: false, cause, reason: 'injected by the test' };
  };
}

function firsts(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

function keysOf(sizes: readonly unknown[]): GroupKey[] {
  return sizes.map((_, index) => aKey(index));
}

function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function everyCallInEveryWay(): string[] {
  const calls = ['destination.send', 'ledger.read', 'marks.advance', 'marks.load', 'marks.noteBehind'];
  const ways = [
    'fails after its effect',
    'fails before its effect',
    'fails, and takes effect later',
    'is answered',
    'is the last of its run, after its effect',
    'is the last of its run, before its effect',
    'takes effect',
  ];
  const sleep = ['is answered', 'is the last of its run, before its effect', 'takes effect'];
  return [
    ...calls.flatMap((call) => ways.map((way) => `${call} ${way}`)),
    ...sleep.map((way) => `clock.sleep ${way}`),
  ].sort();
}
