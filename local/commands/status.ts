// `status`: prints the sources' stored states. It sends no request to the service and changes nothing.
import { Command } from 'commander';
import { formatFailure, NEEDS_ATTENTION, UsageError } from '../cli/failures.ts';
import { withInterrupts } from '../cli/interrupts.ts';
import { layoutOf } from '../cli/layout.ts';
import { openLiveScreen } from '../cli/live-screen.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { createPrinter } from '../cli/print.ts';
import { untilAborted } from '../cli/until-aborted.ts';
import { formatStatus } from '../operating/format-status.ts';
import { formatWebhookLine } from '../operating/format-webhooks.ts';
import { loadSources, loadWebhooks } from '../operating/load-status.ts';
import type { OpenFeed, PlaceFlags } from '../operating/open-feed.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import type { SourceStatus } from '../operating/source-status.ts';
import type { WebhookStatus } from '../operating/webhook-status.ts';
import { withFeed } from '../operating/with-feed.ts';

interface StatusFlags extends PlaceFlags, MomentsFlags {
  readonly source?: string;
  readonly json: boolean;
  readonly watch: boolean;
}

/** Between two pictures of `--watch`. */
const REDRAW_MS = 3_000;
/** Webhooks take more reads than sources, so only one in so many pictures reads them again. */
const WEBHOOKS_EVERY = 10;

const HELP = `
Each source has one verdict: well, failing (polls fail, or don't read everything), stopped (nothing
polls it) or held (a guard waits for your decision). Below it: the last error, what to do, and up
to when the source is read. Below the sources, each webhook has a line; with --data, each URL
that "watch" forwarded to (only a digest of it is kept). "webhooks list" shows more, and its exit code
reports webhooks. docs/troubleshooting.md explains each verdict, docs/glossary.md the words.
With --watch the status is drawn again every ${REDRAW_MS / 1_000} s until Ctrl-C. In a minute it makes at most ${(60_000 / REDRAW_MS) * 2}
reads for each source, and reads the webhooks ${60_000 / REDRAW_MS / WEBHOOKS_EVERY} times.
Examples:
  returns-feed status --data state
  returns-feed status --data state --watch
  returns-feed status --stack ReturnsFeed --source acme --json
Exit code: 0 all sources are well (a baseline may be under way), 3 a source is not, 1 the state
can't be read, 2 invalid usage.`;

export function createStatusCommand(): Command {
  const command = new Command('status')
    .description('Show whether each source is well, what is wrong, and what to do about it.')
    .option('--source <name>', 'show only this source')
    .option('--watch', 'draw the status again every 3 s, on a terminal', false);
  return addMomentsOption(addPlaceOptions(command))
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', HELP)
    .action(status);
}

async function status(flags: StatusFlags): Promise<void> {
  if (flags.watch) checkScreen(flags);
  await withFeed(flags, async (feed) => {
    if (flags.watch) await withInterrupts((signal) => watchStatus(feed, flags, signal));
    else await printStatus(feed, flags);
  });
}

function checkScreen({ json }: StatusFlags): void {
  if (json) throw new UsageError('Give --watch or --json, not both: --json prints one object.');
  if (!process.stdout.isTTY || process.env.TERM === 'dumb')
    throw new UsageError('--watch needs a terminal. In a pipe or a script, run "status" without it.');
}

async function printStatus(feed: OpenFeed, flags: StatusFlags): Promise<void> {
  const now = Date.now();
  const sources = await loadStatuses(feed, now, flags);
  const webhooks = await loadWebhooks(feed, now).catch(async (error: unknown) => {
    await createPrinter(process.stderr).line(`The webhooks are left out. ${formatFailure(error)}`);
    return null;
  });
  const out = createPrinter(process.stdout);
  if (flags.json) await out.line(JSON.stringify({ sources, webhooks }, null, 2));
  else await out.line(format(sources, webhooks, flags).join('\n'));
  if (sources.some(({ verdict }) => verdict !== 'well')) process.exitCode = NEEDS_ATTENTION;
}

/** Ends with Ctrl-C, and leaves the last picture on the terminal. */
async function watchStatus(feed: OpenFeed, flags: StatusFlags, signal: AbortSignal): Promise<void> {
  const screen = openLiveScreen(process.stdout);
  let picture: string[] = [];
  let webhooks: WebhookStatus[] | null = null;
  try {
    for (let drawn = 0; !signal.aborted; drawn += 1) {
      try {
        const now = Date.now();
        if (drawn % WEBHOOKS_EVERY === 0) webhooks = await loadWebhooks(feed, now).catch(() => null);
        picture = format(await loadStatuses(feed, now, flags), webhooks, flags);
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

async function loadStatuses(feed: OpenFeed, now: number, { source }: StatusFlags): Promise<SourceStatus[]> {
  return (await loadSources(feed, now, source)).map(({ status }) => status);
}

function format(
  sources: readonly SourceStatus[],
  webhooks: readonly WebhookStatus[] | null,
  flags: StatusFlags,
): string[] {
  if (sources.length === 0) return ['no source yet'];
  const moments = momentsOf(flags);
  const layout = layoutOf(process.stdout);
  const lines = (webhooks ?? []).flatMap((webhook) => formatWebhookLine(webhook, moments, layout));
  return [
    ...sources.flatMap((each) => [...formatStatus(each, moments, layout), '']),
    ...(lines.length === 0 ? [] : [...lines, '']),
    `times in ${moments.zone}`,
  ];
}
