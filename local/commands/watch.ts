import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { Log } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import {
  DEFAULT_REQUESTS_PER_MINUTE,
  type SourceSettings,
  sourceSettings,
  WALK_SHARE_OF_WATCH,
} from '../../shared/source/source-settings.ts';
import { counted } from '../cli/counts.ts';
import { parseCount, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { addFilterOptions, type FilterFlags } from '../cli/filter-flags.ts';
import { addForwardOptions, type ForwardFlags, receiversOf, SECRET_VARIABLE } from '../cli/forward-flags.ts';
import { noteGiven } from '../cli/given-options.ts';
import { withInterrupts } from '../cli/interrupts.ts';
import { addLogOptions, type LogFlags, logOptionsOf } from '../cli/log-flags.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { parseDirectory } from '../cli/place-options.ts';
import { readBaseUrl, readToken, TOKEN_VARIABLE, tokenInEnvironment } from '../cli/service-options.ts';
import { includeOption, type SourceFlags, settingsOf } from '../cli/source-flags.ts';
import { serveConsoleBeside } from '../feed/console-beside.ts';
import { followConfig } from '../feed/follow-config.ts';
import type { LocalFeed } from '../feed/local-feed.ts';
import { runWatch } from '../feed/run-watch.ts';
import { createFeedDisplay } from '../feed/show-feed.ts';
import { readWatchConfig, type WatchConfig } from '../feed/watch-config.ts';
import { createFeedHealth } from '../listener/feed-health.ts';
import { parseListenAt } from '../listener/parse-listen-at.ts';
import type { GivenOption } from '../store/documents.ts';

interface WatchFlags extends Omit<SourceFlags, 'baseUrl'>, ForwardFlags, FilterFlags, MomentsFlags, LogFlags {
  readonly config?: string;
  readonly baseUrl?: string;
  readonly source: string;
  readonly for?: number;
  readonly data?: string;
  readonly listen?: string;
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
--config names a JSON file with many sources and receivers (docs/one-machine.md), each source with its own
token and budget. A changed file takes effect without a restart, also on SIGHUP; one with problems
changes nothing. A source that fails costs the others nothing.
Examples:
  returns-feed watch --base-url https://returns.example.com/api --data state --json
  returns-feed watch --base-url https://returns.example.com/api --type 'shipment.*' --for 10m
  returns-feed watch --base-url https://returns.example.com/api --forward-to http://127.0.0.1:3000/hook
  returns-feed watch --config feed.json`;

export function createWatchCommand(): Command {
  const command = new Command('watch')
    .description(`Watch a returns service and print every change. Reads the token from ${TOKEN_VARIABLE}.`)
    .option('--base-url <url>', 'address of the service, including its path prefix')
    .option('--config <file>', 'watch the sources of this file instead, and follow its changes')
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
    .option('--listen <place>', 'with --data: serve the pull feed at PORT, or HOST:PORT (docs/pulling.md)')
    .option('--json', 'print each event as one line of JSON on stdout, and nothing else there', false);
  addForwardOptions(addFilterOptions(command, 'print'));
  addLogOptions(addMomentsOption(command));
  const given = noteGiven(command, OF_ONE_RUN);
  return command.addHelpText('after', HELP).action((flags: WatchFlags) => watch(flags, given(), command));
}

/** Options that the next start does not repeat; --data names the directory itself. */
const OF_ONE_RUN = ['--for', '--moved', '--data'];

function durationOption(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(byDefault), byDefault);
}

async function watch(flags: WatchFlags, options: readonly GivenOption[], command: Command): Promise<void> {
  const { config: file } = flags;
  const isGiven = (option: string) => command.getOptionValueSource(option) === 'cli';
  const every = isGiven('every') ? flags.every : undefined;
  const read =
    file === undefined ? undefined : () => readWatchConfig(resolve(file), { every, given: options });
  if (read !== undefined) refuseOptionsOfSources(command);
  const config = read?.() ?? readCommandLine(flags, options);
  let { plan } = config;
  const dataDir = flags.data ?? config.data;
  const { sources } = config.plan;
  const moments = momentsOf(flags);
  const display = createFeedDisplay({
    ...{ moments, json: flags.json, log: logOptionsOf(flags), filter: flags, sources: sources.length },
    name: file === undefined ? sources[0]?.settings.name : undefined,
  });
  const listener = openListener(flags.listen ?? config.listen, dataDir, display.log);
  await withInterrupts(async (signal) => {
    const ending = new AbortController();
    if (file !== undefined) display.log.info(`watching ${counted(sources.length, 'source')} of ${file}`);
    const { console: port } = config;
    let console: Promise<void> | undefined;
    // Its pages need a state of a source.
    const serveConsole = () => {
      if (port === undefined || dataDir === undefined) return;
      console ??= serveConsoleBeside({
        ...{ dataDir, port, moments, signal: ending.signal, log: display.log },
        secretOf: (name) => plan.sources.find(({ settings }) => settings.name === name)?.secret,
      });
    };
    const watching = runWatch({
      ...{ plan: config.plan, dataDir, signal, forMs: flags.for, log: display.log },
      changes:
        read &&
        async function* (signal) {
          for await (plan of followConfig(file ?? '', config, read, { log: display.log, signal })) yield plan;
        },
      beside: listener?.start,
      reporting(settings) {
        const shown = display.source(settings);
        return {
          ...shown,
          onReport(report) {
            shown.onReport(report);
            listener?.note(report);
            if (report.state !== undefined) serveConsole();
          },
        };
      },
      onEvent: display.showEvent,
      onAttempt: display.showDelivery,
    });
    await watching.finally(() => {
      ending.abort();
      return console;
    });
    display.end();
  });
}

/** @param place of --listen @throws UsageError */
function openListener(place: string | undefined, dataDir: string | undefined, log: Log) {
  if (place === undefined) return undefined;
  if (dataDir === undefined)
    throw new UsageError('--listen needs --data: what is pulled must outlast a restart.');
  const at = parseListenAt(place);
  const health = createFeedHealth(dataDir);
  return {
    async start({ store }: LocalFeed) {
      const { startListener } = await import('../listener/start-listener.ts');
      return (await startListener(at, { store, clock: createSystemClock(), log, health })).close;
    },
    note: ({ source, requests }: TickReport) => health.note(source, requests),
  };
}

/** Options of `watch` that go with --config; the others are a source's or a receiver's. */
const BESIDE_CONFIG = [
  'config',
  'data',
  'every',
  'for',
  'json',
  'listen',
  'type',
  'group',
  'utc',
  'logLevel',
  'logFormat',
  'verbose',
];

/** @throws UsageError for an option that the file has for each source or receiver */
function refuseOptionsOfSources(command: Command): void {
  const own = command.options.filter(
    (option) =>
      command.getOptionValueSource(option.attributeName()) === 'cli' &&
      !BESIDE_CONFIG.includes(option.attributeName()),
  );
  if (own.length > 0)
    throw new UsageError(
      `${own.map(({ long }) => long).join(', ')}: with --config the file says this, for each source or receiver.`,
    );
}

/** The one source of a command line. @throws UsageError */
function readCommandLine(flags: WatchFlags, options: readonly GivenOption[]): WatchConfig {
  if (flags.baseUrl === undefined)
    throw new UsageError('Name the service with --base-url URL, or many of them with --config FILE.');
  const settings = readSettings({ ...flags, baseUrl: flags.baseUrl });
  const secret = tokenInEnvironment(readToken(process.env));
  const receivers = receiversOf(flags);
  const hasVariable = receivers[0]?.secret !== undefined && flags.forwardSecret === undefined;
  const given = [...options, ...(hasVariable ? [{ name: SECRET_VARIABLE, value: null }] : [])];
  return {
    data: undefined,
    console: undefined,
    listen: flags.listen,
    plan: { sources: [{ settings, secret, isMoved: flags.moved, given }], receivers },
  };
}

function readSettings(flags: WatchFlags & SourceFlags): SourceSettings {
  const parsed = sourceSettings.safeParse({
    name: flags.source,
    // Nobody subscribes to the bus of one machine.
    sourceRead: false,
    baseUrl: readBaseUrl(flags.baseUrl),
    ...settingsOf(flags),
    walkShare: WALK_SHARE_OF_WATCH,
  });
  if (parsed.success) return parsed.data;
  throw new UsageError(parsed.error.issues.map(({ message }) => message).join(' '));
}
