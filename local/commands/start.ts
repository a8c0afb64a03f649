// `npm start`: a reference service whose data keeps changing, the feed that watches it, and the console. The state is
// in a directory of its own until the end, so that other commands can look at it too.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { sourceSettings, WALK_SHARE_OF_WATCH } from '../../shared/source/source-settings.ts';
import { addFilterOptions, type FilterFlags } from '../cli/filter-flags.ts';
import { addForwardOptions, type ForwardFlags, receiversOf } from '../cli/forward-flags.ts';
import { withInterrupts } from '../cli/interrupts.ts';
import { addLogOptions, type LogFlags, logOptionsOf } from '../cli/log-flags.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { parsePort } from '../cli/parse-port.ts';
import { tokenInEnvironment } from '../cli/service-options.ts';
import { serveConsoleBeside } from '../feed/console-beside.ts';
import { runWatch } from '../feed/run-watch.ts';
import { noteRunningService } from '../feed/running-service.ts';
import { createFeedDisplay } from '../feed/show-feed.ts';
import { createReferenceService } from '../reference-service/create-reference-service.ts';

const TOKEN = 'reference-token';
/** Few groups and many changes: each kind of entity changes within seconds. */
const GROUPS = 200;
const CHANGES_PER_SECOND = 2;

interface StartFlags extends ForwardFlags, FilterFlags, MomentsFlags, LogFlags {
  readonly port: number;
  readonly console: boolean;
  readonly json: boolean;
}

export function createStartCommand(): Command {
  const command = new Command('start')
    .description('Run the reference service and watch it.')
    .option('--port <number>', 'port of the reference service; 0 picks a free one', parsePort, 0)
    .option('--no-console', 'do not serve the console')
    .option('--json', 'print each event as one line of JSON on stdout, and nothing else there', false);
  addForwardOptions(addFilterOptions(command, 'print'));
  return addLogOptions(addMomentsOption(command)).action((flags: StartFlags) =>
    withInterrupts((signal) => start(flags, signal)),
  );
}

async function start(flags: StartFlags, signal: AbortSignal): Promise<void> {
  const receivers = receiversOf(flags);
  const service = await createReferenceService({
    port: flags.port,
    groups: GROUPS,
    token: TOKEN,
    life: { changesPerSecond: CHANGES_PER_SECOND },
  });
  const settings = sourceSettings.parse({
    name: 'acme',
    baseUrl: service.url,
    intervalMs: 1_000,
    sourceRead: false,
    walkShare: WALK_SHARE_OF_WATCH,
  });
  const secret = tokenInEnvironment(TOKEN);
  const moments = momentsOf(flags);
  const display = createFeedDisplay({
    name: settings.name,
    moments,
    json: flags.json,
    log: logOptionsOf(flags),
    filter: flags,
  });
  // Only `trigger` needs the note: start without it if it can't be written.
  const forgetNote = await noteRunningService(service.url).catch(() => async () => {});
  const dataDir = await mkdtemp(join(tmpdir(), 'returns-feed-'));
  const ending = new AbortController();
  let console = Promise.resolve();
  const showConsole = () =>
    serveConsoleBeside({
      ...{ dataDir, moments, port: 0, signal: ending.signal, log: display.log },
      secretOf: () => secret,
    });
  try {
    display.log.info('The reference service runs, and the feed publishes its changes. Ctrl-C to stop.');
    await runWatch({
      plan: { sources: [{ settings, secret }], receivers },
      dataDir,
      forMs: undefined,
      signal,
      log: display.log,
      reporting(source) {
        const shown = display.source(source);
        return {
          ...shown,
          onStart(isNew) {
            shown.onStart?.(isNew);
            if (flags.console) console = showConsole();
          },
        };
      },
      onEvent: display.showEvent,
      onAttempt: display.showDelivery,
    });
    display.end();
  } finally {
    ending.abort();
    await console;
    await forgetNote();
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
