import { Command, Option } from 'commander';
import { type SourceSettings, sourceSettings } from '../../shared/source/source-settings.ts';
import { parseCount, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { listenForInterrupts } from '../cli/interrupts.ts';
import { readToken, TOKEN_VARIABLE } from '../cli/service-options.ts';
import { type SourceFlags, settingsOf } from '../cli/source-flags.ts';
import { createTerminalLog } from '../cli/terminal-log.ts';
import { runWatch } from '../feed/run-watch.ts';
import { createFeedDisplay } from '../feed/show-feed.ts';
import { parseDirectory } from '../operating/place-options.ts';

interface WatchFlags extends SourceFlags {
  readonly source: string;
  readonly for?: number;
  readonly data?: string;
  readonly json: boolean;
  readonly verbose: boolean;
}

export function createWatchCommand(): Command {
  return new Command('watch')
    .description(`Watch a returns service and print every change. The token is read from ${TOKEN_VARIABLE}.`)
    .requiredOption('--base-url <url>', 'address of the service, its path prefix included')
    .option('--source <name>', 'what the source is called in events', 'source')
    .addOption(durationOption('--every <time>', 'time between polls; a cycle begins with one as well', '60s'))
    .addOption(
      new Option('--baseline <mode>', 'whether groups that are there at the start are announced')
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
        'how late a change may show after its stamp and be found by polls',
        '5m',
      ),
    )
    .addOption(durationOption('--settle <time>', 'how long a read may be stale', '60s'))
    .option('--budget <requests>', 'requests in any 60 seconds', parseCount, 240)
    .addOption(durationOption('--timeout <time>', 'after which a request is given up', '10s'))
    .option('--for <time>', 'stop by itself after this time', parseDuration)
    .option('--data <dir>', 'keep state in this directory, and go on from it', parseDirectory)
    .option('--json', 'one event a line on stdout, and nothing else there', false)
    .option('--verbose', 'tell more on stderr', false)
    .action(watch);
}

function durationOption(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(byDefault), byDefault);
}

async function watch(flags: WatchFlags): Promise<void> {
  const settings = readSettings(flags);
  const token = readToken(process.env);
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
