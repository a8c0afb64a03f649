import { Command, InvalidArgumentError } from 'commander';
import { parseCount } from '../cli/durations.ts';
import { messageOf, UsageError } from '../cli/failures.ts';
import { withInterrupts } from '../cli/interrupts.ts';
import { parsePort } from '../cli/parse-port.ts';
import { whenAborted } from '../cli/until-aborted.ts';
import { createReferenceService } from '../reference-service/create-reference-service.ts';
import { listKnobs, readKnobs } from '../reference-service/read-knobs.ts';

interface ServeFlags {
  readonly port: number;
  readonly groups: number;
  readonly seed: number;
  readonly token: string;
  readonly rate: number;
  readonly knob: readonly string[];
}

const HELP = `
The data is in memory: each start begins with a new store, and the changes of the last run are gone. So
give "watch" a new --data directory after a restart.
Examples:
  returns-feed serve --port 8080 --rate 5
  returns-feed serve --knob fault-rate=0.1 --knob limit-max=20
`;

export function createServeCommand(): Command {
  return new Command('serve')
    .description(
      'Run the reference service: a simulated returns service whose data keeps changing. It answers on 127.0.0.1 only, ' +
        'and refuses web pages of other origins.',
    )
    .option('--port <number>', 'port on this machine; 0 picks a free one', parsePort, 0)
    .option('--groups <number>', 'number of return groups at the start', parseCount, 300)
    .option('--seed <number>', 'seed of all data and changes', parseCount, 1)
    .option('--token <text>', 'token that requests must carry', 'reference-token')
    .option('--rate <number>', 'changes a second; 0 for none', parseRate, 1)
    .option('--knob <name=value>', 'set what the document leaves open (see below); repeatable', collect, [])
    .addHelpText('after', () => `${HELP}\nKnobs:\n${describeKnobs()}`)
    .action(serve);
}

async function serve({ rate, knob, ...options }: ServeFlags): Promise<void> {
  await withInterrupts(async (signal) => {
    const life = rate === 0 ? false : { changesPerSecond: rate };
    const service = await createReferenceService({ ...options, life, knobs: parseKnobs(knob) });
    process.stdout.write(`${service.url}\n`);
    process.stderr.write(
      `serving ${options.groups} return groups; token: ${options.token}; Ctrl-C to stop\n`,
    );
    await whenAborted(signal);
    await service.close();
  });
}

function parseKnobs(assignments: readonly string[]) {
  try {
    return readKnobs(assignments);
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

function collect(assignment: string, others: readonly string[]): readonly string[] {
  return [...others, assignment];
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (!(rate >= 0 && rate <= 10_000)) throw new InvalidArgumentError('Give a number from 0 to 10000.');
  return rate;
}

function describeKnobs(): string {
  return listKnobs()
    .map(
      ({ name, values, byDefault, description }) =>
        `  ${name}=${values} (${byDefault})\n      ${description}`,
    )
    .join('\n');
}
