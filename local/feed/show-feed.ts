// The output of a watched feed: events on stdout, everything else on stderr as log lines.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Log } from '../../shared/ports.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { type CollapsingLog, collapseRepeats } from '../cli/collapse-repeats.ts';
import { counted } from '../cli/counts.ts';
import { selects } from '../cli/filter-flags.ts';
import { colorsOf } from '../cli/layout.ts';
import { createPrinter, type Printer } from '../cli/print.ts';
import { createTerminalLog, type TerminalLogOptions } from '../cli/terminal-log.ts';
import { describeAccepted, describeRejected, isAboutContent, isAccepted } from './format-delivery.ts';
import { createEventTable } from './format-event.ts';
import { createReportDisplay, PROGRESS_EVERY_MS, type ReportDisplayOptions } from './show-reports.ts';
import type { SourceReporting } from './watch-source.ts';

export interface FeedDisplay {
  readonly log: Log;
  /** The log of a source, and what shows its reports. */
  source(settings: SourceSettings): SourceReporting;
  showEvent(event: FeedEvent): Promise<void>;
  /** Logs failed attempts to forward an event, and that a URL accepts events. */
  showDelivery(url: URL, event: FeedEvent, answer: Answer, secretFrom: string): void;
  /** Logs how many events were printed, and what was not logged yet. */
  end(): void;
}

export interface DisplayOptions extends Pick<ReportDisplayOptions, 'moments' | 'filter'> {
  /** The name of the only source, which stands on all lines of the log; undefined if there may be several. */
  readonly name: string | undefined;
  /** How many sources there are at the start. @default 1 */
  readonly sources?: number;
  /** Whether events are printed as JSON. */
  readonly json: boolean;
  readonly log: Pick<TerminalLogOptions, 'level' | 'format'>;
  readonly streams?: {
    readonly stdout: NodeJS.WriteStream;
    readonly stderr: NodeJS.WriteStream;
  };
}

export function createFeedDisplay(options: DisplayOptions): FeedDisplay {
  const { json, moments, filter, sources = 1, streams = process } = options;
  const out = createPrinter(streams.stdout);
  const err = createPrinter(streams.stderr);
  const log = openLog(options, err, streams.stderr);
  const width = () => (streams.stdout.isTTY === true ? streams.stdout.columns : undefined);
  const table = createEventTable({
    colors: colorsOf(streams.stdout),
    moments,
    width,
    namesSources: options.name === undefined,
  });
  const progress = createProgressLine(options, log, err);
  const counts = { seen: 0, printed: 0 };
  /** The failures of each URL since it last accepted an event. */
  const failures = new Map<string, ReadonlySet<string>>();

  return {
    log,
    source(settings) {
      const sourceLog =
        settings.name === options.name
          ? log
          : openLog({ ...options, name: settings.name }, err, streams.stderr);
      const reports = createReportDisplay({
        ...{ settings, moments, filter, log: sourceLog, isBrief: sources > MOST_SHOWN },
        onProgress: (line) => progress.set(settings.name, line),
        logsProgress: !progress.isOverwritten,
      });
      return { log: sourceLog, onStart: reports.start, onReport: reports.show };
    },
    async showEvent(event) {
      counts.seen += 1;
      if (!selects(filter, event)) return;
      counts.printed += 1;
      if (json) return out.line(JSON.stringify(event));
      // Both streams may be one terminal: the event replaces the status line.
      err.clear();
      const row = table.row(event);
      await out.line(counts.printed === 1 ? `${table.header()}\n${row}` : row);
      progress.restore();
    },
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

/**
 * The line below the log: the progress of the only source that is read for the first time, or how many there are. Where
 * it can't be overwritten, some lines are logged, for many sources only how many there are.
 */
function createProgressLine({ name, sources = 1, ...options }: DisplayOptions, log: Log, screen: Printer) {
  const lines = new Map<string, string>();
  const isShown = options.log.format !== 'json';
  const isOverwritten = isShown && screen.isTerminal;
  const isLogged = !isOverwritten && sources > MOST_SHOWN;
  let loggedAt = Date.now();
  const text = (): string | undefined => {
    const [first, ...others] = lines;
    if (first === undefined) return undefined;
    if (others.length > 0) return `${counted(lines.size, 'source')} are read for the first time`;
    return name === undefined ? `${first[0]}: ${first[1]}` : first[1];
  };
  const restore = () => {
    const line = isShown ? text() : undefined;
    if (line !== undefined) screen.status(line);
  };
  return {
    isOverwritten,
    restore,
    set(source: string, line: string | undefined): void {
      if (line !== undefined) lines.set(source, line);
      else if (!lines.delete(source)) return;
      restore();
      if (!isLogged || (Date.now() - loggedAt < PROGRESS_EVERY_MS && lines.size > 0)) return;
      loggedAt = Date.now();
      log.info(text() ?? 'no source is read for the first time any more');
    },
  };
}

/** With more sources the log shows no lines of each that only say that all goes well. */
const MOST_SHOWN = 10;

function openLog(
  { name, moments, log }: DisplayOptions,
  err: Printer,
  stderr: NodeJS.WriteStream,
): CollapsingLog {
  const written = createTerminalLog({
    ...log,
    write: (line) => void err.line(line).catch(() => {}),
    moments,
    isDated: stderr.isTTY !== true,
    width: () => (stderr.isTTY === true ? stderr.columns || undefined : undefined),
    source: name,
    colors: colorsOf(stderr),
  });
  return collapseRepeats(written, () => performance.now());
}
