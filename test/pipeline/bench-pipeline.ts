// `npm run bench:pipeline`: what the feed itself takes, as a user runs it, against the outside service on this machine.
import { Command, Option } from 'commander';
import { figuresOfChanges } from './measure-changes.ts';
import { figuresOfEmittedBaseline } from './measure-emitted-baseline.ts';
import { figuresOfFirstReading } from './measure-first-reading.ts';
import { figuresAtRest } from './measure-rest.ts';
import { figuresOfStarts } from './measure-starts.ts';
import type { Figure } from './measurement.ts';

interface Options {
  readonly only?: string[];
  readonly minutes: number;
  readonly seed: number;
}

type Measure = (options: Options & { readonly signal: AbortSignal }) => Promise<readonly Figure[]>;

const MEASURES: Readonly<Record<string, Measure>> = {
  start: figuresOfStarts,
  changes: figuresOfChanges,
  rest: figuresAtRest,
  emit: figuresOfEmittedBaseline,
  'first-reading': figuresOfFirstReading,
};

await new Command('bench:pipeline')
  .description(
    'Measures what `watch` itself takes: its start, its time for a change, its processor time at rest.',
  )
  .addOption(new Option('--only <names...>', 'measurements').choices(Object.keys(MEASURES)))
  .option('--minutes <number>', 'how long to measure at rest', Number, 1)
  .option('--seed <number>', 'seed of the store and its changes', Number, 1)
  .action(run)
  .parseAsync();

async function run(options: Options): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  const names = options.only ?? Object.keys(MEASURES);
  console.log('| measured | value |\n| --- | --- |');
  for (const name of names) {
    try {
      for (const { what, value } of (await MEASURES[name]?.({ ...options, signal: interrupt.signal })) ?? [])
        console.log(`| ${what} | ${value} |`);
    } catch (error) {
      if (interrupt.signal.aborted) process.exit(130);
      throw error;
    }
  }
}
