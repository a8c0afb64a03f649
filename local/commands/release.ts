// `release`: releases a guard's hold by its number, which `status` and the feed's own events show.
import { Command } from 'commander';
import { describeHold, describeRelease, describeSample } from '../../shared/guarding/describe-hold.ts';
import type { Hold } from '../../shared/guarding/hold.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import { confirmOnTerminal } from '../cli/confirm.ts';
import { parseCount } from '../cli/durations.ts';
import { formatEntry } from '../cli/entries.ts';
import { UsageError } from '../cli/failures.ts';
import { layoutOf } from '../cli/layout.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { sampleLines } from '../operating/format-hold.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { type OpenStates, withStates } from '../operating/open-states.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import { type Released, saveRelease } from '../operating/save-release.ts';

interface ReleaseFlags extends PlaceFlags {
  readonly source?: string;
  readonly hold: number;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly yes: boolean;
}

const HELP = `
"status" shows the number of each hold. The command first shows what it would publish, with samples
of ten return groups, and asks on a terminal. The next tick, and the walks that it starts, publish
the held changes. Releasing a hold again has no effect. A hold that grows to more than twice its size
gets a new number, and the command for the old one is rejected.
Examples:
  returns-feed release --hold 7 --data state --dry-run
  returns-feed release --source acme --hold 7 --stack ReturnsFeed
  returns-feed release --source acme --hold 7 --stack ReturnsFeed --yes --json`;

export function createReleaseCommand(): Command {
  const command = new Command('release')
    .description('Release a hold of a guard: confirm that the held changes are right, and publish them.')
    .requiredOption('--hold <number>', 'the number of the hold', parseCount)
    .option('--source <name>', 'the source; optional if there is only one');
  return addPlaceOptions(command)
    .option('--dry-run', 'only show what a release would publish', false)
    .option('--yes', 'release without asking', false)
    .option('--json', 'print one JSON object; does not ask', false)
    .addHelpText('after', HELP)
    .action(release);
}

async function release(flags: ReleaseFlags): Promise<void> {
  const { source, hold: number, dryRun, json, yes } = flags;
  await withStates(flags, async (open) => {
    const name = await sourceOf(open, source);
    const out = createPrinter(process.stdout);
    const standing = standingHolds(await open.stateOf(name)).find((hold) => hold.number === number);
    if (standing !== undefined && !json) await out.line(preview(standing, name).join('\n'));
    if (dryRun && standing !== undefined) {
      if (json) await out.line(toJson(standing, name, 'standing'));
      return;
    }
    if (standing !== undefined && !yes && !json) await confirmOnTerminal(`Release hold ${number}?`);
    const released = await saveRelease(open.states, name, number, Date.now() * MILLISECOND);
    const words = describeOutcome(released, name, number);
    const known = 'hold' in released.release ? released.release.hold : undefined;
    await out.line(json ? toJson(known, name, released.release.outcome) : words);
  });
}

async function sourceOf(open: OpenStates, asked: string | undefined): Promise<string> {
  const [name, other] = await open.sources(asked);
  if (name === undefined) throw new Error('There is no source yet.');
  if (other !== undefined) throw new UsageError('There are several sources: name one with --source NAME.');
  return name;
}

function preview(hold: Hold, source: string): string[] {
  const { width } = layoutOf(process.stdout);
  return [
    `hold ${hold.number} of source ${source}`,
    ...formatEntry('found', [describeHold(hold), ...sampleLines(hold)], width),
    ...formatEntry('release', [describeRelease(hold)], width),
  ];
}

function toJson(hold: Hold | undefined, source: string, outcome: string): string {
  const { number, guard, since, suspects, samples } = hold ?? {};
  const about = hold && {
    ...{ number, guard, suspects, samples: samples?.map(describeSample) },
    since: formatInstant(since ?? 0),
    message: describeHold(hold),
    publishes: describeRelease(hold),
  };
  return JSON.stringify({ source, outcome, hold: about ?? null }, null, 2);
}

/** @throws UsageError for a number that no hold ever had, Error if that hold has ended and others stand */
function describeOutcome({ release: done, state }: Released, source: string, number: number): string {
  const name = `hold ${number} of source ${source}`;
  if (done.outcome === 'released') return printable(`released: ${name}. The next tick continues.`);
  if (done.outcome === 'released_before') return `${name} was released before`;
  const held = standingHolds(state).map((hold) => `${hold.number}: ${describeHold(hold)}`);
  const now = held.length === 0 ? 'Nothing is held.' : `Held now: ${held.join(' ')}`;
  if (done.outcome === 'unknown') throw new UsageError(`There never was a ${name}. ${now}`);
  if (held.length > 0)
    throw new Error(`There is no ${name} any more: it ended, or grew and got another number. ${now}`);
  return `${name} has ended, nothing is held`;
}
