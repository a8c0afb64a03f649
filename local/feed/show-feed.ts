// The output of a watched feed: events on stdout, everything else on stderr as log lines.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Log } from '../../shared/ports.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { type CollapsingLog, collapseRepeats } from '../cli/collapse-repeats.ts';
import { selects } from '../cli/filter-flags.ts';
import { colorsOf } from '../cli/layout.ts';
import { createPrinter, type Printer } from '../cli/print.ts';
import { createTerminalLog, type TerminalLogOptions } from '../cli/terminal-log.ts';
import { describeAccepted, describeRejected, isAboutContent, isAccepted } from './format-delivery.ts';
import { createEventTable } from './format-event.ts';
import { createReportDisplay, type ReportDisplay, type ReportDisplayOptions } from './show-reports.ts';

export interface FeedDisplay {
  readonly log: Log;
  readonly start: ReportDisplay['start'];
  showEvent(event: FeedEvent): Promise<void>;
  readonly showReport: ReportDisplay['show'];
  /** Logs failed attempts to forward an event, and that a URL accepts events. */
  showDelivery(url: URL, event: FeedEvent, answer: Answer, secretFrom: string): void;
  /** Logs how many events were printed, and what was not logged yet. */
  end(): void;
}

export interface DisplayOptions extends Pick<ReportDisplayOptions, 'settings' | 'moments' | 'filter'> {
  /** Whether events are printed as JSON. */
  readonly json: boolean;
  readonly log: Pick<TerminalLogOptions, 'level' | 'format'>;
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
  const width = () => (streams.stdout.isTTY === true ? streams.stdout.columns : undefined);
  const table = createEventTable({ colors: colorsOf(streams.stdout), moments, width });
  const reports = createReportDisplay({
    settings: options.settings,
    moments,
    filter,
    log,
    screen: options.log.format === 'json' ? undefined : err,
  });
  const counts = { seen: 0, printed: 0 };
  /** The failures of each URL since it last accepted an event. */
  const failures = new Map<string, ReadonlySet<string>>();

  return {
    log,
    start: reports.start,
    async showEvent(event) {
      counts.seen += 1;
      if (!selects(filter, event)) return;
      counts.printed += 1;
      if (json) return out.line(JSON.stringify(event));
      // Both streams may be one terminal: the event replaces the status line.
      err.clear();
      const row = table.row(event);
      await out.line(counts.printed === 1 ? `${table.header()}\n${row}` : row);
      reports.restore();
    },
    showReport: reports.show,
    showDelivery(url, event, answer, secretFrom) {
      const before = failures.get(url.href);
      if (isAccepted(answer)) {
        const text = describeAccepted(url, answer);
        if (before === undefined || before.size === 0) log[before === undefined ? 'info' : 'debug'](text);
        for (const message of before ?? []) log.end(message, text);
        failures.set(url.href, new Set());
        return;
      }
      const message = describeRejected(url, event, answer, secretFrom);
      if (!isAboutContent(answer)) failures.set(url.href, new Set(before).add(message));
      log.warn(message);
    },
    end() {
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
    width: () => (stderr.isTTY === true ? stderr.columns || undefined : undefined),
    source: settings.name,
    colors: colorsOf(stderr),
  });
  return collapseRepeats(written, () => performance.now());
}
