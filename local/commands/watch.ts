import { Command, Option } from 'commander';
import { type SourceSettings, sourceSettings } from '../../shared/source/source-settings.ts';
import { parseCount, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { addForwardOptions, type ForwardFlags, forwardOptionsOf } from '../cli/forward-flags.ts';
import { listenForInterrupts } from '../cli/interrupts.ts';
import { readToken, TOKEN_VARIABLE } from '../cli/service-options.ts';
import { type SourceFlags, settingsOf } from '../cli/source-flags.ts';
import { createTerminalLog } from '../cli/terminal-log.ts';
import { runWatch } from '../feed/run-watch.ts';
import { createFeedDisplay } from '../feed/show-feed.ts';
import { openForwarding } from '../forwarding/open-forwarding.ts';
import { parseDirectory } from '../operating/place-options.ts';

interface WatchFlags extends SourceFlags, ForwardFlags {
  readonly source: string;
  readonly for?: number;
  readonly data?: string;
  readonly json: boolean;
  readonly verbose: boolean;
}

const HELP = `
--forward-to posts each event to a URL of yours as a webhook does (docs/webhooks.md): signed, in order
per return, again until it is accepted. With --data the URL also gets what changed while the command
or the receiver did not run.
Examples:
  returns-feed watch --base-url https://returns.example.com/api --data state --json
  returns-feed watch --base-url https://returns.example.com/api --forward-to http://127.0.0.1:3000/hook`;

export function createWatchCommand(): Command {
  const command = new Command('watch')
    .description(`Watch a returns service and print every change. Reads the token from ${TOKEN_VARIABLE}.`)
    .requiredOption('--base-url <url>', 'address of the service, including its path prefix')
    .option('--source <name>', 'name of the source in events', 'source')
    .addOption(
      durationOption('--every <time>', 'time between polls; reconciliation cycles start with one too', '60s'),
    )
    .addOption(
      new Option(
        '--baseline <mode>',
        'publish events for the groups present at the start (emit) or not (silent)',
      )
        .choices(['silent', 'emit'])
        .default('silent'),
    )
    .addOption(
      durationOption(
        '--reconcile <time>',
        'length of a reconciliation cycle for recent and open groups',
        '10m',
      ),
    )
    .addOption(
      durationOption(
        '--lookback <time>',
        'how long after its timestamp a change may become visible and polls still find it',
        '5m',
      ),
    )
    .addOption(durationOption('--settle <time>', 'maximum staleness of a read', '60s'))
    .option('--budget <requests>', 'maximum number of requests in any 60 seconds', parseCount, 240)
    .addOption(durationOption('--timeout <time>', 'timeout of a request', '10s'))
    .option('--for <time>', 'stop after this time', parseDuration)
    .option('--data <dir>', 'keep state in this directory, and continue from it', parseDirectory)
    .option('--json', 'print each event as one line of JSON on stdout, and nothing else there', false)
    .option('--verbose', 'log more on stderr', false);
  return addForwardOptions(command).addHelpText('after', HELP).action(watch);
}

function durationOption(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(byDefault), byDefault);
}

async function watch(flags: WatchFlags): Promise<void> {
  const settings = readSettings(flags);
  const token = readToken(process.env);
  const forward = forwardOptionsOf(flags);
  const display = createFeedDisplay(settings, { json: flags.json });
  const interrupts = listenForInterrupts();
  try {
    await runWatch({
      settings,
      token,
      dataDir: flags.data,
      forMs: flags.for,
      signal: interrupts.signal,
      log: createTerminalLog(display.tell, flags.verbose),
      onEvent: display.showEvent,
      onReport: display.showReport,
      forwarding: await openForwarding(forward, flags.data, display),
    });
    display.tell(`stopped: ${display.events} events`);
  } finally {
    interrupts.release();
  }
}

function readSettings(flags: WatchFlags): SourceSettings {
  const parsed = sourceSettings.safeParse({
    name: flags.source,
    ...settingsOf(flags),
  });
  if (parsed.success) return parsed.data;
  throw new UsageError(parsed.error.issues.map(({ message }) => message).join(' '));
}
