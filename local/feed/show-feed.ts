// What a person sees of a feed that is being watched: events on stdout, everything else on stderr.
import pc from 'picocolors';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { TickReport } from '../../shared/poll-source.ts';
import type { SourceSettings } from '../../shared/source-settings.ts';
import { createPrinter } from '../cli/print.ts';
import { formatEvent } from './format-event.ts';
import { formatBaseline } from './format-progress.ts';

export interface FeedDisplay {
  showEvent(event: FeedEvent): Promise<void>;
  showReport(report: TickReport): void;
  /** A line about what is going on. */
  tell(line: string): void;
  readonly events: number;
}

/** Progress goes out at most so often where lines can't be overwritten. */
const PROGRESS_EVERY_MS = 10_000;

export function createFeedDisplay(
  settings: SourceSettings,
  { json }: { readonly json: boolean },
): FeedDisplay {
  const out = createPrinter(process.stdout);
  const err = createPrinter(process.stderr);
  const colors = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);
  let events = 0;
  let toldAt = Date.now();
  let wasRunning = false;
  let isGreeted = false;
  const tell = (line: string) => void err.line(line).catch(() => {});

  /** Said once the service has answered: before that there is nothing but what went wrong. */
  function greet(): void {
    if (isGreeted) return;
    isGreeted = true;
    tell(
      `watching ${new URL(settings.baseUrl).host} as source "${settings.name}", every ${settings.intervalMs / 1_000} s`,
    );
  }

  function showReport(report: TickReport): void {
    const baseline = report.state?.baseline;
    if (baseline === undefined) return;
    if (report.polls > 0) greet();
    const line = formatBaseline(baseline, Date.now());
    if (baseline.status === 'completed') {
      if (wasRunning)
        tell(`${line}: complete, ${baseline.mode === 'silent' ? 'watching for changes' : 'all announced'}`);
      wasRunning = false;
      return;
    }
    wasRunning = true;
    err.status(line);
    if (!process.stderr.isTTY && Date.now() - toldAt >= PROGRESS_EVERY_MS) {
      toldAt = Date.now();
      tell(line);
    }
  }

  return {
    get events() {
      return events;
    },
    async showEvent(event) {
      events += 1;
      await out.line(json ? JSON.stringify(event) : formatEvent(event, Date.now(), colors));
    },
    showReport,
    tell,
  };
}
