// The output of a watched feed: events on stdout, everything else on stderr as log lines.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Log } from '../../shared/ports.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { type CollapsingLog, collapseRepeats } from '../cli/collapse-repeats.ts';
import { type FilterFlags, selects } from '../cli/filter-flags.ts';
import { colorsOf } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { createPrinter, type Printer } from '../cli/print.ts';
import { printableJson } from '../cli/printable.ts';
import { createTerminalLog, type TerminalLogOptions } from '../cli/terminal-log.ts';
import { formatDelivery, isAccepted } from '../forwarding/format-delivery.ts';
import { createEventTable, type EventTable } from './format-event.ts';
import { createReportDisplay } from './show-reports.ts';

export interface FeedDisplay {
  readonly log: Log;
  /** @param isNew whether the source has no state yet */
  start(isNew: boolean): void;
  showEvent(event: FeedEvent): Promise<void>;
  showReport(report: TickReport): void;
  /** Logs one attempt to forward an event. */
  showDelivery(url: URL, event: FeedEvent, answer: Answer): void;
  /** Logs how many events were printed, and what was not logged yet. */
  end(): void;
}

export interface DisplayOptions {
  readonly settings: SourceSettings;
  readonly moments: Moments;
  /** Whether events are printed as JSON. */
  readonly json: boolean;
  readonly log: Pick<TerminalLogOptions, 'level' | 'format'>;
  /** The events that are printed. */
  readonly filter: FilterFlags;
  readonly streams?: {
    readonly stdout: NodeJS.WriteStream;
    readonly stderr: NodeJS.WriteStream;
  };
}

export function createFeedDisplay(options: DisplayOptions): FeedDisplay {
  const { json, moments, filter, streams = process } = options;
  const out = createPrinter(streams.stdout);
  const err = createPrinter(streams.stderr);
  const log = openLog(options, err, streams.stderr);
  const table = openTable(streams.stdout, moments);
  const reports = createReportDisplay({
    settings: options.settings,
    moments,
    filter,
    log,
    screen: options.log.format === 'json' ? undefined : err,
  });
  const counts = { seen: 0, printed: 0 };

  return {
    log,
    start: reports.start,
    async showEvent(event) {
      counts.seen += 1;
      if (!selects(filter, event)) return;
      counts.printed += 1;
      if (json) return out.line(printableJson(event));
      // Both streams may be one terminal: the event replaces the status line.
      err.clear();
      const row = table.row(event);
      await out.line(counts.printed === 1 ? `${table.header()}\n${row}` : row);
      reports.restore();
    },
    showReport: reports.show,
    showDelivery(url, event, answer) {
      log[isAccepted(answer) ? 'info' : 'warn'](formatDelivery(url, event, answer, moments));
    },
    end() {
      log.flush();
      const of = counts.seen === counts.printed ? '' : ` of ${counts.seen}`;
      log.info(`stopped: ${counts.printed}${of} events`);
    },
  };
}

function openLog(
  { settings, moments, log }: DisplayOptions,
  err: Printer,
  stderr: NodeJS.WriteStream,
): CollapsingLog {
  const written = createTerminalLog({
    ...log,
    write: (line) => void err.line(line).catch(() => {}),
    moments,
    isDated: stderr.isTTY !== true,
    width: () => (stderr.isTTY === true ? stderr.columns : undefined),
    source: settings.name,
    colors: colorsOf(stderr),
  });
  return collapseRepeats({ log: written, elapsed: () => performance.now() });
}

function openTable(stdout: NodeJS.WriteStream, moments: Moments): EventTable {
  const width = () => (stdout.isTTY === true ? stdout.columns : undefined);
  return createEventTable({ colors: colorsOf(stdout), moments, width });
}
