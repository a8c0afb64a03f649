import { Command, Option } from 'commander';
import {
  DEFAULT_REQUESTS_PER_MINUTE,
  type SourceSettings,
  sourceSettings,
  WALK_SHARE_OF_WATCH,
} from '../../shared/source/source-settings.ts';
import { parseCount, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { addFilterOptions, type FilterFlags } from '../cli/filter-flags.ts';
import {
  addForwardOptions,
  type ForwardFlags,
  forwardOptionsOf,
  SECRET_VARIABLE,
} from '../cli/forward-flags.ts';
import { noteGiven } from '../cli/given-options.ts';
import { withInterrupts } from '../cli/interrupts.ts';
import { addLogOptions, type LogFlags, logOptionsOf } from '../cli/log-flags.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { parseDirectory } from '../cli/place-options.ts';
import { readToken, TOKEN_VARIABLE } from '../cli/service-options.ts';
import { includeOption, type SourceFlags, settingsOf } from '../cli/source-flags.ts';
import { runWatch } from '../feed/run-watch.ts';
import { createFeedDisplay } from '../feed/show-feed.ts';
import type { GivenOption } from '../store/documents.ts';

interface WatchFlags extends SourceFlags, ForwardFlags, FilterFlags, MomentsFlags, LogFlags {
  readonly source: string;
  readonly for?: number;
  readonly data?: string;
  readonly moved: boolean;
  readonly json: boolean;
}

const HELP = `
Each event has a row: when it was printed, how long after the change, the return group and its order,
the entity, and what changed. With a silent baseline the returns that exist at the start are stored
without events. Times are local (TZ); with --json they are UTC. Log lines go to stderr.
--type and --group select which events are printed; all events are read, recorded and forwarded.
After --for, the command still prints the events of everything that was read. With --data it does so for
at most 10 s, and the next start prints the rest. Without --data this may take minutes after a
--baseline emit.
--data remembers the address that a source was read from, so that another store is never read as the
same source.
--moved allows another address of the same store.
--data also remembers the other options, without secrets: "status" prints them as a command, and a start
that leaves one out or changes it says so. A URL of --forward-to that is left out before it has all
events stays in "status" until "webhooks remove".
--forward-to posts each event to a URL of yours as a webhook does (docs/webhooks.md): signed, in order
per return, retried until it is accepted. With --data the URL also gets the events of changes while
the command or the receiver did not run. The secret comes from the file of --forward-secret or from
${SECRET_VARIABLE}; without either, --data keeps one: "webhooks secret --data" prints it.
Examples:
  returns-feed watch --base-url https://returns.example.com/api --data state --json
  returns-feed watch --base-url https://returns.example.com/api --type 'shipment.*' --for 10m
  returns-feed watch --base-url https://returns.example.com/api --forward-to http://127.0.0.1:3000/hook`;

export function createWatchCommand(): Command {
  const command = new Command('watch')
    .description(`Watch a returns service and print every change. Reads the token from ${TOKEN_VARIABLE}.`)
    .requiredOption('--base-url <url>', 'address of the service, including its path prefix')
    .option('--source <name>', 'name of the source in events', 'source')
    .addOption(durationOption('--every <time>', 'time between polls', '60s'))
    .addOption(
      new Option(
        '--baseline <mode>',
        'publish events for the groups present at the start (emit) or not (silent)',
      )
        .choices(['silent', 'emit'])
        .default('silent'),
    )
    .addOption(
      new Option(
        '--reconcile <time>',
        'time between walks over recent groups, which find changes that move no timestamp (default: as often as they ' +
          'take a quarter of the budget, at least every 10m)',
      ).argParser(parseDuration),
    )
    .addOption(
      durationOption(
        '--lookback <time>',
        'polls find a change that becomes visible within this time after its timestamp; at least twice --settle',
        '5m',
      ),
    )
    .addOption(durationOption('--settle <time>', 'maximum staleness of a read', '60s'))
    .option(
      '--budget <requests>',
      'maximum number of requests in any 60 seconds',
      parseCount,
      DEFAULT_REQUESTS_PER_MINUTE,
    )
    .addOption(durationOption('--timeout <time>', 'timeout of a request', '10s'))
    .addOption(includeOption())
    .option('--for <time>', 'stop reading after this time', parseDuration)
    .option('--data <dir>', 'keep state in this directory, and continue from it', parseDirectory)
    .option('--moved', 'with --data: the same store has moved to this --base-url', false)
    .option('--json', 'print each event as one line of JSON on stdout, and nothing else there', false);
  addForwardOptions(addFilterOptions(command, 'print'));
  addLogOptions(addMomentsOption(command));
  const given = noteGiven(command, OF_ONE_RUN);
  return command.addHelpText('after', HELP).action((flags: WatchFlags) => watch(flags, given()));
}

/** Options that the next start does not repeat; --data names the directory itself. */
const OF_ONE_RUN = ['--for', '--moved', '--data'];

function durationOption(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(byDefault), byDefault);
}

async function watch(flags: WatchFlags, options: readonly GivenOption[]): Promise<void> {
  const settings = readSettings(flags);
  const token = readToken(process.env);
  const forward = forwardOptionsOf(flags);
  const hasVariable = forward.secret !== undefined && flags.forwardSecret === undefined;
  const display = createFeedDisplay({
    settings,
    moments: momentsOf(flags),
    json: flags.json,
    log: logOptionsOf(flags),
    filter: flags,
  });
  await withInterrupts(async (signal) => {
    await runWatch({
      settings,
      token,
      dataDir: flags.data,
      forMs: flags.for,
      signal,
      isMoved: flags.moved,
      given: [...options, ...(hasVariable ? [{ name: SECRET_VARIABLE, value: null }] : [])],
      log: display.log,
      onStart: display.start,
      onEvent: display.showEvent,
      onReport: display.showReport,
      forwarding: { ...forward, onAttempt: display.showDelivery },
    });
    display.end();
  });
}

function readSettings(flags: WatchFlags): SourceSettings {
  const parsed = sourceSettings.safeParse({
    name: flags.source,
    // Nobody subscribes to the bus of one machine.
    sourceRead: false,
    ...settingsOf(flags),
    walkShare: WALK_SHARE_OF_WATCH,
  });
  if (parsed.success) return parsed.data;
  throw new UsageError(parsed.error.issues.map(({ message }) => message).join(' '));
}
