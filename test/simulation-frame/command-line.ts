// Options and output that the commands of both simulations share.
import { InvalidArgumentError, Option } from 'commander';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Parses an option's integer. */
export function integer(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number < least) {
      throw new InvalidArgumentError(`It must be an integer of at least ${least}.`);
    }
    return number;
  };
}

/** The option that run-seeds.ts gives its worker processes. */
export const STEP = new Option('--step <n>').argParser(integer(1)).hideHelp();

interface TracedRun<Violation> {
  readonly lines: readonly string[];
  readonly violations: readonly Violation[];
  readonly hash: string;
}

/** @returns whether the run broke no guarantee */
export function printTrace<Violation>(
  { lines, violations, hash }: TracedRun<Violation>,
  describe: (violation: Violation) => string,
  figures: string,
): boolean {
  for (const line of lines) print(line);
  for (const violation of violations) print(describe(violation));
  print(`hash ${hash}, ${figures}`);
  return violations.length === 0;
}

/** The command that repeats a run. */
export function replayCommand(script: string, plan: object): string {
  return `npm run ${script} -- --trace --plan '${JSON.stringify(plan)}'`;
}
