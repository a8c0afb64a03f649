// The terminal output of a watched feed: events on stdout, everything else on stderr.
import pc from 'picocolors';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MINUTE } from '../../shared/instant.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { StampsState } from '../../shared/source/source-state.ts';
import type { TickReport } from '../../shared/tick/tick-report.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { createPrinter } from '../cli/print.ts';
import { formatDelivery } from '../forwarding/format-delivery.ts';
import { createEventTable } from './format-event.ts';
import { createBaselineProgress } from './format-progress.ts';

export interface FeedDisplay {
  showEvent(event: FeedEvent): Promise<void>;
  showReport(report: TickReport): void;
  /** Prints one attempt to forward an event on stderr. */
  showDelivery(url: URL, event: FeedEvent, answer: Answer): void;
  /** Prints a line of information on stderr. */
  tell(line: string): void;
  readonly events: number;
}

/** Minimum time between lines of progress where lines can't be overwritten. */
const PROGRESS_EVERY_MS = 10_000;

export function createFeedDisplay(
  settings: SourceSettings,
  { json }: { readonly json: boolean },
): FeedDisplay {
  const out = createPrinter(process.stdout);
  const err = createPrinter(process.stderr);
  const isTerminal = process.stdout.isTTY === true;
  const table = createEventTable({
    colors: pc.createColors(pc.isColorSupported && isTerminal),
    width: () => (isTerminal ? process.stdout.columns : undefined),
  });
  const errColors = pc.createColors(pc.isColorSupported && process.stderr.isTTY === true);
  const progress = createBaselineProgress();
  let events = 0;
  let reportedAt = Date.now();
  /** The line of progress while the baseline runs. */
  let status: string | undefined;
  let isGreeted = false;
  let isLeadReported = false;
  const printLine = (line: string) => void err.line(line).catch(() => {});

  /** Printed once the service has answered: a failure before that is the only output. */
  function greet(): void {
    if (isGreeted) return;
    isGreeted = true;
    const { baseUrl, name, intervalMs } = settings;
    printLine(`watching ${new URL(baseUrl).host} as source "${name}", every ${intervalMs / 1_000} s`);
  }

  /** Printed once the lead is known. Until then polls read hours ahead, and a silent baseline keeps a safe distance. */
  function reportLead(stamps: StampsState | undefined): void {
    if (isLeadReported || stamps === undefined || stamps.zoned || stamps.lead <= 0) return;
    isLeadReported = true;
    printLine(`the stamps have no zone: they run ${formatLead(stamps.lead)} ahead of the service's Date`);
  }

  function showReport(report: TickReport): void {
    const baseline = report.state?.baseline;
    if (baseline === undefined) return;
    if (report.polls > 0) greet();
    reportLead(report.state?.stamps);
    const line = progress.line(baseline, Date.now());
    if (baseline.status === 'completed') {
      if (status !== undefined) printLine(line);
      status = undefined;
      return;
    }
    status = line;
    err.status(line);
    if (!process.stderr.isTTY && Date.now() - reportedAt >= PROGRESS_EVERY_MS) {
      reportedAt = Date.now();
      printLine(line);
    }
  }

  return {
    get events() {
      return events;
    },
    async showEvent(event) {
      events += 1;
      if (json) return out.line(JSON.stringify(event));
      // Both streams may be one terminal: the event replaces the status line.
      err.clear();
      const row = table.row(event, Date.now());
      await out.line(events === 1 && isTerminal ? `${table.header()}\n${row}` : row);
      if (status !== undefined) err.status(status);
    },
    showReport,
    showDelivery: (url, event, answer) =>
      printLine(formatDelivery(url, event, answer, Date.now(), errColors)),
    tell: printLine,
  };
}

/** Rounded to quarters of an hour, as zones are: the rest is the delay until the change became visible. */
function formatLead(lead: number): string {
  const quarters = Math.round(lead / (15 * MINUTE));
  const [hours, minutes] = [Math.floor(quarters / 4), (quarters % 4) * 15];
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}
