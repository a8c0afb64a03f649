// The sums and counts of many runs.

interface FinishedRun {
  readonly plan: { readonly seed: number };
  readonly violations: readonly unknown[];
  readonly occurrences: ReadonlyMap<string, number>;
}

/** The summary of a run that a worker process sends. */
export interface Outcome<Run extends FinishedRun, Figure extends string> {
  readonly seed: number;
  readonly plan: Run['plan'];
  readonly violations: Run['violations'];
  readonly occurrences: readonly (readonly [string, number])[];
  /** The numbers that are added up. */
  readonly figures: Readonly<Record<Figure, number>>;
}

export interface Tally<Run extends FinishedRun, Figure extends string> {
  runs: number;
  readonly totals: Record<Figure, number>;
  readonly occurrences: Map<string, number>;
  readonly violating: Outcome<Run, Figure>[];
}

export function createTally<Run extends FinishedRun, Figure extends string>(
  zeros: Readonly<Record<Figure, number>>,
): Tally<Run, Figure> {
  return { runs: 0, totals: { ...zeros }, occurrences: new Map(), violating: [] };
}

export function outcomeOf<Run extends FinishedRun, Figure extends string>(
  { plan, violations, occurrences }: Run,
  figures: Readonly<Record<Figure, number>>,
): Outcome<Run, Figure> {
  return { seed: plan.seed, plan, violations, occurrences: [...occurrences], figures };
}

export function addOutcome<Run extends FinishedRun, Figure extends string>(
  tally: Tally<Run, Figure>,
  outcome: Outcome<Run, Figure>,
): void {
  tally.runs += 1;
  for (const name of Object.keys(outcome.figures) as Figure[]) tally.totals[name] += outcome.figures[name];
  for (const [name, count] of outcome.occurrences) {
    tally.occurrences.set(name, (tally.occurrences.get(name) ?? 0) + count);
  }
  if (outcome.violations.length > 0) tally.violating.push(outcome);
}
