// `npm start`: a reference service whose data keeps changing, and the feed that watches it.
import { Command } from 'commander';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { addForwardOptions, type ForwardFlags, forwardOptionsOf } from '../cli/forward-flags.ts';
import { listenForInterrupts } from '../cli/interrupts.ts';
import { createTerminalLog } from '../cli/terminal-log.ts';
import { runWatch } from '../feed/run-watch.ts';
import { noteRunningService } from '../feed/running-service.ts';
import { createFeedDisplay } from '../feed/show-feed.ts';
import { openForwarding } from '../forwarding/open-forwarding.ts';
import { createReferenceService } from '../reference-service/create-reference-service.ts';

const TOKEN = 'reference-token';
/** Few groups and many changes: each kind of entity changes within seconds. */
const GROUPS = 200;
const CHANGES_PER_SECOND = 2;

export function createStartCommand(): Command {
  const command = new Command('start').description('Run the reference service and watch it.');
  return addForwardOptions(command).action(start);
}

async function start(flags: ForwardFlags): Promise<void> {
  const forward = forwardOptionsOf(flags);
  const interrupts = listenForInterrupts();
  const service = await createReferenceService({
    groups: GROUPS,
    token: TOKEN,
    life: { changesPerSecond: CHANGES_PER_SECOND },
  });
  const settings = sourceSettings.parse({ name: 'acme', baseUrl: service.url, intervalMs: 1_000 });
  const display = createFeedDisplay(settings, { json: false });
  // Without the note only `trigger` lacks something.
  const forgetNote = await noteRunningService(service.url).catch(() => async () => {});
  try {
    display.tell('The reference service runs, and the feed publishes its changes. Ctrl-C to stop.');
    await runWatch({
      settings,
      token: TOKEN,
      dataDir: undefined,
      forMs: undefined,
      signal: interrupts.signal,
      log: createTerminalLog(display.tell, false),
      onEvent: display.showEvent,
      onReport: display.showReport,
      forwarding: await openForwarding(forward, undefined, display),
    });
    display.tell(`stopped: ${display.events} events`);
  } finally {
    await forgetNote();
    await service.close();
    interrupts.release();
  }
}
