// The output of a watched feed: events on stdout, everything else on stderr as log lines.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { Log } from '../../shared/ports.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { SourceState, StampsState } from '../../shared/source/source-state.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { type CollapsingLog, collapseRepeats } from '../cli/collapse-repeats.ts';
import { colorsOf } from '../cli/colors.ts';
import { formatDuration } from '../cli/durations.ts';
import { type FilterFlags, selectionInWords, selects } from '../cli/filter-flags.ts';
import type { Moments } from '../cli/moments.ts';
import { createPrinter, type Printer } from '../cli/print.ts';
import { printableJson } from '../cli/printable.ts';
import { createTerminalLog, type TerminalLogOptions } from '../cli/terminal-log.ts';
import { formatDelivery, isAccepted } from '../forwarding/format-delivery.ts';
import { createEventTable, type EventTable } from './format-event.ts';
import { createBaselineProgress } from './format-progress.ts';
import { COULD_NOT_BE_READ } from './run-watch.ts';

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

/** Minimum time between lines of progress where lines can't be overwritten. */
const PROGRESS_EVERY_MS = 10_000;

export function createFeedDisplay(options: DisplayOptions): FeedDisplay {
  const { json, moments, filter, streams = process } = options;
  const out = createPrinter(streams.stdout);
  const err = createPrinter(streams.stderr);
  const log = openLog(options, err, streams.stderr);
  const table = openTable(streams.stdout, moments);
  const reports = showReports(options, log, err);
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

interface ReportDisplay {
  start(isNew: boolean): void;
  show(report: TickReport): void;
  /** Shows the line of progress again, below a line that was printed. */
  restore(): void;
}

function showReports(
  { settings, moments, filter, log: { format } }: DisplayOptions,
  log: CollapsingLog,
  err: Printer,
): ReportDisplay {
  const progress = createBaselineProgress();
  let loggedAt = Date.now();
  /** The line of progress while the baseline runs. */
  let status: string | undefined;
  let isNew = false;
  let isGreeted = false;
  let isLeadReported = false;

  /** Logged once the service has answered, as it has where a new source has a state: a failure before is the only output. */
  function greet(state: SourceState): void {
    if (isGreeted) return;
    isGreeted = true;
    const { baseUrl, intervalMs } = settings;
    const every = `every ${intervalMs / 1_000} s`;
    log.info(`watching ${new URL(baseUrl).host} ${every}; times in ${moments.zone}`);
    const selection = selectionInWords(filter);
    if (selection !== undefined) log.info(`printing only ${selection}`);
    if (isNew) log.info(describeStart(state, settings, moments));
    else if (state.baseline.status === 'running')
      log.info(
        `the baseline goes on behind ${state.baseline.groups} groups: the range that was under way is read again`,
      );
  }

  /** Logged once the lead is known. Until then polls read hours ahead, and a silent baseline keeps a safe distance. */
  function reportLead(stamps: StampsState | undefined): void {
    if (isLeadReported || stamps === undefined || stamps.zoned || stamps.lead <= 0) return;
    isLeadReported = true;
    log.info(`the stamps have no zone: they run ${formatLead(stamps.lead)} ahead of the service's Date`);
  }

  function restore(): void {
    if (status !== undefined && format !== 'json') err.status(status);
  }

  return {
    start(isNewHere) {
      isNew = isNewHere;
    },
    restore,
    show(report) {
      log.tally();
      const { state, polls, error } = report;
      if (state === undefined) return;
      if (polls > 0 || isNew) greet(state);
      if (polls > 0 && error === undefined) log.end(COULD_NOT_BE_READ, 'The service is read again.');
      reportLead(state.stamps);
      const { baseline } = state;
      progress.note(report, Date.now());
      const line = progress.line(baseline, Date.now());
      if (baseline.status === 'completed') {
        if (status !== undefined) log.info(line);
        status = undefined;
        return;
      }
      status = line;
      restore();
      if (!err.isTerminal && Date.now() - loggedAt >= PROGRESS_EVERY_MS) {
        loggedAt = Date.now();
        log.info(line);
      }
    },
  };
}

/** What the first events are of: in a silent baseline these are older than the watch, which surprises. */
function describeStart(
  { baseline: { mode }, startedAt, stamps }: SourceState,
  { lookbackMs }: SourceSettings,
  moments: Moments,
): string {
  if (mode === 'emit') return 'announcing every return group that exists, and every change from now on';
  // Stamps without a zone run ahead.
  const since = (startedAt - (stamps.zoned ? 0 : stamps.lead)) / MILLISECOND - lookbackMs;
  return (
    `announcing changes since ${moments.short(since)}, the lookback of ${formatDuration(lookbackMs)} before the start; ` +
    'what is older is recorded without events (--baseline silent)'
  );
}

/** Rounded to quarters of an hour, as zones are: the rest is the delay until the change became visible. */
function formatLead(lead: number): string {
  const quarters = Math.round(lead / (15 * MINUTE));
  const [hours, minutes] = [Math.floor(quarters / 4), (quarters % 4) * 15];
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}
