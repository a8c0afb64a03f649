// The sums and counts of many runs.
import type { Violation } from './checker/evidence.ts';
import type { Plan } from './plan.ts';
import type { Run } from './simulate.ts';

/** The summary of a run that a worker process sends. */
export interface Outcome {
  readonly seed: number;
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  readonly occurrences: readonly (readonly [string, number])[];
  readonly events: number;
  readonly requests: number;
  readonly virtualMs: number;
  readonly cpuMs: number;
}

export interface Tally {
  runs: number;
  events: number;
  requests: number;
  virtualMs: number;
  cpuMs: number;
  readonly occurrences: Map<string, number>;
  readonly violating: Outcome[];
}

export function createTally(): Tally {
  return { runs: 0, events: 0, requests: 0, virtualMs: 0, cpuMs: 0, occurrences: new Map(), violating: [] };
}

export function outcomeOf(run: Run, cpuMs: number): Outcome {
  const { plan, violations, occurrences, events, requests, virtualMs } = run;
  return {
    seed: plan.seed,
    plan,
    violations,
    occurrences: [...occurrences],
    events,
    requests,
    virtualMs,
    cpuMs,
  };
}

export function addOutcome(tally: Tally, outcome: Outcome): void {
  tally.runs += 1;
  tally.events += outcome.events;
  tally.requests += outcome.requests;
  tally.virtualMs += outcome.virtualMs;
  tally.cpuMs += outcome.cpuMs;
  for (const [name, count] of outcome.occurrences) {
    tally.occurrences.set(name, (tally.occurrences.get(name) ?? 0) + count);
  }
  if (outcome.violations.length > 0) tally.violating.push(outcome);
}
