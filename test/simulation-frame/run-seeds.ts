// Runs a range of seeds, in this process or divided among several. Each worker process runs this program with the same
// options and a `--step`: every `step`-th seed is its own.
import { type ChildProcess, fork } from 'node:child_process';

export interface SeedOptions {
  readonly seeds: number;
  readonly from: number;
  /** The number of processes. */
  readonly jobs: number;
  /** Set only in worker processes. */
  readonly step?: number;
}

interface Runner<Outcome> {
  run(seed: number): Promise<Outcome>;
  /** Gets each outcome, in the order in which runs end. No more seeds are run after it returned false. */
  report(outcome: Outcome): boolean | Promise<boolean>;
}

const PROGRESS_EVERY_MS = 5_000;

/** Runs the seeds that a worker process got from {@link runSeeds}. */
export async function runAsWorker<Outcome>(options: SeedOptions, run: Runner<Outcome>['run']): Promise<void> {
  await runHere(options, { run, report: (outcome) => process.send?.(outcome) ?? true });
  process.disconnect?.();
}

/** Runs all seeds. Every few seconds it prints on stderr how many are done. */
export async function runSeeds<Outcome extends { readonly violations: readonly unknown[] }>(
  options: SeedOptions,
  { run, report }: Runner<Outcome>,
): Promise<void> {
  const startedAt = performance.now();
  let printedAt = startedAt;
  const done = { runs: 0, violating: 0 };
  const runAll = Math.min(options.jobs, options.seeds) === 1 ? runHere : runInProcesses;
  await runAll(options, {
    run,
    async report(outcome) {
      const goesOn = await report(outcome);
      done.runs += 1;
      if (outcome.violations.length > 0) done.violating += 1;
      if (performance.now() - printedAt > PROGRESS_EVERY_MS) {
        printedAt = performance.now();
        const perSecond = ((done.runs * 1_000) / (printedAt - startedAt)).toFixed(1);
        process.stderr.write(
          `${done.runs}/${options.seeds} runs, ${perSecond} a second, ${done.violating} violating\n`,
        );
      }
      return goesOn;
    },
  });
}

async function runHere<Outcome>(
  { from, seeds, step = 1 }: SeedOptions,
  { run, report }: Runner<Outcome>,
): Promise<void> {
  for (let seed = from; seed < from + seeds; seed += step) {
    const outcome = await run(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed} ended with an error of the simulation itself`, { cause: error });
    });
    if (!(await report(outcome))) return;
  }
}

async function runInProcesses<Outcome>(
  options: SeedOptions,
  { report }: Pick<Runner<Outcome>, 'report'>,
): Promise<void> {
  const jobs = Math.min(options.jobs, options.seeds);
  const workers = Array.from({ length: jobs }, (_, index) => startWorker(options, jobs, index));
  let reported = Promise.resolve();
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.on('message', (outcome) => {
            reported = reported.then(async () => {
              if (!(await report(outcome as Outcome))) for (const each of workers) each.kill();
            });
          });
          worker.on('exit', (code, signal) =>
            code === 0 || signal === 'SIGTERM'
              ? resolve()
              : reject(new Error(`a worker process ended with code ${code}`)),
          );
        }),
    ),
  );
  await reported;
}

function startWorker({ from, seeds }: SeedOptions, jobs: number, index: number): ChildProcess {
  const [, script = '', ...given] = process.argv;
  const own = { '--from': from + index, '--seeds': seeds - index, '--step': jobs };
  return fork(script, [...given, ...Object.entries(own).flat().map(String)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
