// `release` and `adopt`: end a guard's hold by its number, which `status` and the feed's own events show. `release`
// publishes what is held, `adopt` takes a mass change or backfill over without events.
import { Command } from 'commander';
import { describeHold, describeRelease, questionOf } from '../../shared/guarding/describe-hold.ts';
import type { Hold } from '../../shared/guarding/hold.ts';
import { type HoldCommand, isAdoptable } from '../../shared/guarding/release-hold.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import { confirm, yesOption } from '../cli/confirm.ts';
import { parseCount } from '../cli/durations.ts';
import { formatEntry } from '../cli/entries.ts';
import { UsageError } from '../cli/failures.ts';
import { layoutOf } from '../cli/layout.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { type Released, saveRelease } from '../operating/save-release.ts';
import type { OpenFeed, PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';
import { sampleLines } from '../status/format-status.ts';

interface HoldFlags extends PlaceFlags {
  readonly source?: string;
  readonly hold: number;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly yes: boolean;
}

const RELEASE_HELP = `
"status" shows the number of each hold. The command first shows what it would publish, with samples
of ten return groups, and asks. The next tick, and the walks that it starts, publish
the held changes. Releasing a hold again has no effect, and a later hold has another number.
Examples:
  returns-feed release --hold 7 --data state --dry-run
  returns-feed release --source acme --hold 7 --stack ReturnsFeed
  returns-feed release --source acme --hold 7 --stack ReturnsFeed --yes --json`;

const ADOPT_HELP = `
For a mass change that only writes the same in another way, for instance DELIVERED as Delivered: the
walks that the next tick starts store the held changes, and publish nothing of them. The next event of
a return starts from what was published last. The same for backfill, returns created before the feed
began that show for the first time: none of them is published, only what changes in them later. Use
"release" to publish instead.
Examples:
  returns-feed adopt --hold 7 --data state --dry-run
  returns-feed adopt --source acme --hold 7 --stack ReturnsFeed`;

/** The words of both commands. */
const WORDS = {
  release: {
    question: 'Release',
    done: 'released',
    describe: describeRelease,
    description: 'Release a hold of a guard: confirm that the held changes are right, and publish them.',
    help: RELEASE_HELP,
  },
  adopt: {
    question: 'Adopt',
    done: 'adopted',
    describe: ({ kind }: Pick<Hold, 'kind'>) =>
      kind === 'backfill'
        ? 'An adoption stores those that the next walk finds, without events: subscribers get their later changes alone.'
        : 'An adoption stores the changes that the next walk finds, without events: subscribers keep what was published.',
    description: 'End the hold of a mass change or of backfill without events: store what is held as it is.',
    help: ADOPT_HELP,
  },
} as const satisfies Readonly<Record<HoldCommand, object>>;

export const createReleaseCommand = (): Command => createHoldCommand('release');
export const createAdoptCommand = (): Command => createHoldCommand('adopt');

function createHoldCommand(command: HoldCommand): Command {
  const { description, help, question } = WORDS[command];
  const created = new Command(command)
    .description(description)
    .requiredOption('--hold <number>', 'the number of the hold', parseCount)
    .option('--source <name>', 'the source; optional if there is only one');
  return addPlaceOptions(created)
    .option('--dry-run', 'only show what the command would do', false)
    .addOption(yesOption(`${question.toLowerCase()} without asking`))
    .option('--json', 'print one JSON object; needs --yes or --dry-run', false)
    .addHelpText('after', help)
    .action((flags: HoldFlags) => end(command, flags));
}

async function end(command: HoldCommand, flags: HoldFlags): Promise<void> {
  const { source, hold: number, dryRun, json, yes } = flags;
  await withFeed(flags, async (feed) => {
    const name = await sourceOf(feed, source);
    const out = createPrinter(process.stdout);
    const { holds } = await feed.stateOf(name);
    const standing = holds.find((hold) => hold.number === number && hold.phase === 'holding');
    if (standing !== undefined) checkAdoptable(command, standing, name);
    if (standing !== undefined && !json) await out.line(preview(command, standing, name).join('\n'));
    if (dryRun && standing !== undefined) {
      if (json) await out.line(toJson(command, standing, name, 'standing'));
      return;
    }
    if (standing !== undefined && !yes)
      await (json ? refuse(command) : confirm(questionOf(command, standing)));
    const released = await saveRelease(feed.states, name, number, Date.now() * MILLISECOND, command);
    const words = describeOutcome(command, released, name, number);
    const known = 'hold' in released.release ? released.release.hold : undefined;
    await out.line(json ? toJson(command, known, name, released.release.outcome) : words);
  });
}

async function sourceOf(feed: OpenFeed, asked: string | undefined): Promise<string> {
  const [name, other] = await feed.sources(asked);
  if (name === undefined) throw new Error('There is no source yet.');
  if (other !== undefined) throw new UsageError('There are several sources: name one with --source NAME.');
  return name;
}

function refuse(command: HoldCommand): never {
  throw new UsageError(`With --json, ${command} does not ask: add --yes to confirm, or --dry-run.`);
}

/** @throws UsageError for a hold that only `release` can end */
function checkAdoptable(command: HoldCommand, hold: Hold, source: string): void {
  if (command === 'release' || isAdoptable(hold)) return;
  throw new UsageError(
    `Hold ${hold.number} of source ${source} can't be adopted: only a mass change and backfill can. Use "release".`,
  );
}

function preview(command: HoldCommand, hold: Hold, source: string): string[] {
  const { width } = layoutOf(process.stdout);
  return [
    `hold ${hold.number} of source ${source}`,
    ...formatEntry('found', [describeHold(hold), ...sampleLines(hold)], width),
    ...formatEntry(command, [WORDS[command].describe(hold)], width),
  ];
}

function toJson(command: HoldCommand, hold: Hold | undefined, source: string, outcome: string): string {
  const about = hold && {
    ...{ number: hold.number, kind: hold.kind, count: hold.count, samples: hold.samples },
    since: formatInstant(hold.since),
    message: describeHold(hold),
    effect: WORDS[command].describe(hold),
  };
  return JSON.stringify({ source, outcome, hold: about ?? null }, null, 2);
}

/** @throws UsageError for a number that no hold ever had, Error if that hold has ended and others stand */
function describeOutcome(
  command: HoldCommand,
  { release: done, state }: Released,
  source: string,
  number: number,
): string {
  const name = `hold ${number} of source ${source}`;
  if (done.outcome === 'released')
    return printable(`${WORDS[command].done}: ${name}. The next tick continues.`);
  if (done.outcome === 'released_before') return `${name} was ended before`;
  if (done.outcome === 'not_adoptable') checkAdoptable(command, done.hold, source);
  const held = state.holds.map((hold) => `${hold.number}: ${describeHold(hold)}`);
  const now = held.length === 0 ? 'Nothing is held.' : `Held now: ${held.join(' ')}`;
  if (done.outcome === 'unknown') throw new UsageError(`There never was a ${name}. ${now}`);
  if (held.length > 0) throw new Error(`There is no ${name} any more: it has ended. ${now}`);
  return `${name} has ended, nothing is held`;
}
