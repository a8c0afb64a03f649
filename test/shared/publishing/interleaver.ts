// Decides the order in which the calls of several runs take effect and are answered, and the result of each call. A
// call first takes effect and is then answered; other calls may come in between. A run that dies gets no further
// answers, like a killed process; its pending calls may still take effect.
import type { Gate } from './relay-world.ts';

export interface Interleaver {
  /** The gate of one run. */
  gate(run: number): Gate;
  /** The possible next steps; frequent steps are listed several times. */
  steps(): (() => void)[];
  /** Makes all pending calls take effect, answered or not. */
  drain(): void;
  /** How often each step happened to each call. */
  readonly counts: Map<string, number>;
}

/** The weight of proceeding, relative to each failure of a call. */
const USUAL = 12;

interface Call {
  readonly name: string;
  /** Undefined once no run waits for the call. */
  run: number | undefined;
  carriedOut: boolean;
  carryOut(): void;
  answer(): void;
  fail(): void;
}

export function createInterleaver(): Interleaver {
  const calls = new Set<Call>();
  const counts = new Map<string, number>();

  function step(call: Call, what: string, take: () => void): () => void {
    return () => {
      const name = `${call.name} ${what}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      take();
    };
  }

  function stepsOf(call: Call): (() => void)[] {
    const carryOut = step(call, 'takes effect', () => {
      call.carryOut();
      call.carriedOut = true;
      if (call.run === undefined) calls.delete(call);
    });
    if (call.run === undefined) return [carryOut];
    const when = call.carriedOut ? 'after its effect' : 'before its effect';
    const fail = step(call, `fails ${when}`, () => {
      calls.delete(call);
      call.fail();
    });
    const die = step(call, `is the last of its run, ${when}`, () => {
      for (const other of calls) if (other.run === call.run && other !== call) calls.delete(other);
      calls.delete(call);
    });
    const answer = step(call, 'is answered', () => {
      calls.delete(call);
      call.answer();
    });
    const failThenTakeEffect = step(call, 'fails, and takes effect later', () => {
      call.fail();
      call.run = undefined;
    });
    // Time does not fail.
    if (call.name === 'clock.sleep') return call.carriedOut ? [answer] : [carryOut, die];
    const often = (usual: () => void) => Array.from({ length: USUAL }, () => usual);
    return call.carriedOut
      ? [...often(answer), die, fail]
      : [...often(carryOut), die, fail, failThenTakeEffect];
  }

  return {
    counts,
    gate: (run) => (name, effect) =>
      new Promise((resolve, reject) => {
        let answer = () => reject(new Error('It was never carried out.'));
        calls.add({
          name,
          run,
          carriedOut: false,
          carryOut() {
            const result = effect();
            answer = () => resolve(result);
          },
          answer: () => answer(),
          fail: () => reject(new Error('unavailable')),
        });
      }),
    steps: () => [...calls].flatMap(stepsOf),
    drain() {
      for (const call of calls) if (!call.carriedOut) call.carryOut();
      calls.clear();
    },
  };
}
