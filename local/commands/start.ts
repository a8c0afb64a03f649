// `npm start`: a reference service whose data keeps changing, and the feed that watches it.
import { Command } from 'commander';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { addFilterOptions, type FilterFlags } from '../cli/filter-flags.ts';
import { addForwardOptions, type ForwardFlags, forwardOptionsOf } from '../cli/forward-flags.ts';
import { listenForInterrupts } from '../cli/interrupts.ts';
import { addLogOptions, type LogFlags, logOptionsOf } from '../cli/log-flags.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { parsePort } from '../cli/parse-port.ts';
import { runWatch } from '../feed/run-watch.ts';
import { noteRunningService } from '../feed/running-service.ts';
import { createFeedDisplay } from '../feed/show-feed.ts';
import { openForwarding } from '../forwarding/open-forwarding.ts';
import { createReferenceService } from '../reference-service/create-reference-service.ts';

const TOKEN = 'reference-token';
/** Few groups and many changes: each kind of entity changes within seconds. */
const GROUPS = 200;
const CHANGES_PER_SECOND = 2;

interface StartFlags extends ForwardFlags, FilterFlags, MomentsFlags, LogFlags {
  readonly port: number;
}

export function createStartCommand(): Command {
  const command = new Command('start')
    .description('Run the reference service and watch it.')
    .option('--port <number>', 'port of the reference service; 0 picks a free one', parsePort, 0);
  addForwardOptions(addFilterOptions(command, 'print'));
  return addLogOptions(addMomentsOption(command)).action(start);
}

async function start(flags: StartFlags): Promise<void> {
  const forward = forwardOptionsOf(flags);
  const interrupts = listenForInterrupts();
  const service = await createReferenceService({
    port: flags.port,
    groups: GROUPS,
    token: TOKEN,
    life: { changesPerSecond: CHANGES_PER_SECOND },
  });
  const settings = sourceSettings.parse({ name: 'acme', baseUrl: service.url, intervalMs: 1_000 });
  const display = createFeedDisplay({
    settings,
    moments: momentsOf(flags),
    json: false,
    log: logOptionsOf(flags),
    filter: flags,
  });
  // Without the note only `trigger` lacks something.
  const forgetNote = await noteRunningService(service.url).catch(() => async () => {});
  try {
    display.log.info('The reference service runs, and the feed publishes its changes. Ctrl-C to stop.');
    await runWatch({
      settings,
      token: TOKEN,
      dataDir: undefined,
      forMs: undefined,
      signal: interrupts.signal,
      log: display.log,
      onStart: display.start,
      onEvent: display.showEvent,
      onReport: display.showReport,
      forwarding: await openForwarding(forward, undefined, display),
    });
    display.end();
  } finally {
    await forgetNote();
    await service.close();
    interrupts.release();
  }
}
