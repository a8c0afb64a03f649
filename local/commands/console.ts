// `console`: the feed in a browser, on this machine only.
import { Command } from 'commander';
import { withInterrupts } from '../cli/interrupts.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { parsePort } from '../cli/parse-port.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { serveConsole } from '../console/open-console.ts';
import type { PlaceFlags } from '../place/open-feed.ts';

interface ConsoleFlags extends PlaceFlags, MomentsFlags {
  readonly port: number;
  readonly act: boolean;
}

const HELP = `
Prints an address that one browser can open, once; the console prints another one if it is opened again,
or if you press c and Enter on its terminal. "status" shows where a console runs.
The console answers on this machine only, stores nothing, and changes nothing without --act. With --stack
it has your rights in AWS (SECURITY.md lists the rights that it needs). docs/console.md describes the pages,
and what to do if the browser does not find the address.
Tracking numbers and order names are looked up at the service: with --data, set RETURNS_API_TOKEN.
Examples:
  returns-feed console --data state
  returns-feed console --stack ReturnsFeed --act`;

export function createConsoleCommand(): Command {
  const command = new Command('console')
    .description(
      'Show the feed in a browser: what is read, delivered and stuck, and the events of each return.',
    )
    .option('--port <number>', 'port on this machine; 0 picks a free one', parsePort, 0)
    .option('--act', 'offer buttons that change something: release a hold, redrive, resume', false);
  addMomentsOption(addPlaceOptions(command));
  return command.addHelpText('after', HELP).action(runConsole);
}

async function runConsole({ port, act, utc, ...place }: ConsoleFlags): Promise<void> {
  const [out, err] = [createPrinter(process.stdout), createPrinter(process.stderr)];
  await withInterrupts((signal) =>
    serveConsole(place, {
      port,
      acts: act,
      access: {},
      moments: momentsOf({ utc }),
      signal,
      onReady(url) {
        void out.line(url);
        void err.line('Open this address in a browser. c and Enter print it again, Ctrl-C stops.');
      },
    }),
  );
}
