// `status`: whether sources are read and events delivered. It sends no request to the service and changes nothing.
import { Command } from 'commander';
import { formatFailure, NEEDS_ATTENTION, UsageError } from '../cli/failures.ts';
import { withInterrupts } from '../cli/interrupts.ts';
import { layoutOf } from '../cli/layout.ts';
import { openLiveScreen } from '../cli/live-screen.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { untilAborted } from '../cli/until-aborted.ts';
import { findConsole } from '../console/running-console.ts';
import type { PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';
import { openDeploymentParts } from '../status/deployment-parts.ts';
import { concernJson, formatStatusPage, headlineOf } from '../status/format-status.ts';
import { judgeFeed } from '../status/judge-feed.ts';
import { loadOverview, type OverviewFeed } from '../status/load-overview.ts';

interface StatusFlags extends PlaceFlags, MomentsFlags {
  readonly source?: string;
  readonly json: boolean;
  readonly watch: boolean;
}

/** Between two pictures of `--watch`. */
const REDRAW_MS = 5_000;

const HELP = `
The first line is the verdict over all sources and everything that gets their events: all is well, or
the worst problem, since when, and what to do. Then each source: well, failing (polls fail, or don't
read everything), stopped (nothing polls it), held (a guard waits for your decision) or removed (it is
no longer configured; no concern of the first line). Then each destination: the output of "watch", the
topic and the bus, ordered subscribers, webhooks, the URLs that "watch" forwards to, and the readers of
the pull feed (a concern only if added with --alarm-after).
docs/troubleshooting.md explains each verdict, docs/glossary.md the words.
What can't be read, for instance without a permission, is named on stderr, and the verdict is about
the rest. With --watch the status is drawn again every ${REDRAW_MS / 1_000} s until Ctrl-C, and reads as much as the
console's overview (docs/console.md).
Examples:
  returns-feed status --data state
  returns-feed status --data state --watch
  returns-feed status --stack ReturnsFeed --source acme --json
Exit code: 0 all is well (a baseline may be under way), 3 something needs attention, 1 the state can't
be read, 2 invalid usage.`;

export function createStatusCommand(): Command {
  const command = new Command('status')
    .description('Show whether all is read and delivered, what is wrong, and what to do about it.')
    .option('--source <name>', 'show only this source')
    .option('--watch', `draw the status again every ${REDRAW_MS / 1_000} s, on a terminal`, false);
  return addMomentsOption(addPlaceOptions(command))
    .option('--json', 'print one JSON object, the verdict first', false)
    .addHelpText('after', HELP)
    .action(status);
}

async function status(flags: StatusFlags): Promise<void> {
  if (flags.watch) checkScreen(flags);
  await withFeed(
    flags,
    async (opened) => {
      const feed = { ...opened, ...openDeploymentParts(opened, { now: Date.now, withAges: false }) };
      if (flags.watch) await withInterrupts((signal) => watchStatus(feed, flags, signal));
      else await printStatus(feed, flags);
    },
    'to read',
  );
}

function checkScreen({ json }: StatusFlags): void {
  if (json) throw new UsageError('Give --watch or --json, not both: --json prints one object.');
  if (!process.stdout.isTTY || process.env.TERM === 'dumb')
    throw new UsageError('--watch needs a terminal. In a pipe or a script, run "status" without it.');
}

async function load(feed: OverviewFeed, { source, data }: StatusFlags) {
  const now = Date.now();
  const [overview, console] = await Promise.all([loadOverview(feed, now, source), findConsole(data)]);
  // Without the sources there is nothing to judge.
  if (overview.sources === null) throw new Error(overview.problems.join(' '));
  const sources = overview.sources.map(({ status: each }) => each);
  return { sources, console, verdict: judgeFeed(overview, now * 1_000, feed.flags) };
}

async function printStatus(feed: OverviewFeed, flags: StatusFlags): Promise<void> {
  const loaded = await load(feed, flags);
  const { sources, verdict, console } = loaded;
  const [out, err] = [createPrinter(process.stdout), createPrinter(process.stderr)];
  for (const sentence of verdict.unknown) await err.line(sentence);
  if (flags.json) {
    const { verdict: state, concerns, unknown, destinations } = verdict;
    const headline = headlineOf(verdict, momentsOf({ utc: true }));
    const about = { verdict: state, headline, concerns: concerns.map(concernJson), unknown };
    await out.line(JSON.stringify({ ...about, sources, destinations, console }, null, 2));
  } else await out.line(format(loaded, flags).join('\n'));
  if (verdict.verdict === 'attention') process.exitCode = NEEDS_ATTENTION;
}

/** Ends with Ctrl-C, and leaves the last picture on the terminal. */
async function watchStatus(feed: OverviewFeed, flags: StatusFlags, signal: AbortSignal): Promise<void> {
  const screen = openLiveScreen(process.stdout);
  let picture: string[] = [];
  try {
    while (!signal.aborted) {
      try {
        const loaded = await load(feed, flags);
        picture = [...format(loaded, flags), ...loaded.verdict.unknown];
        screen.draw(picture);
      } catch (error) {
        // The tables may be back with the next picture.
        screen.draw([formatFailure(error), '', ...picture]);
      }
      await untilAborted(REDRAW_MS, signal);
    }
  } finally {
    screen.end();
  }
  await createPrinter(process.stdout).line(picture.join('\n'));
}

function format(loaded: Awaited<ReturnType<typeof load>>, flags: StatusFlags): string[] {
  return formatStatusPage(loaded, momentsOf(flags), layoutOf(process.stdout));
}
