// The log lines that a watch makes of its ticks' reports: what is watched, from when on, and how far the baseline is.

import type { TickReport } from '../../shared/reporting/tick-report.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { CollapsingLog } from '../cli/collapse-repeats.ts';
import { type FilterFlags, selectionInWords } from '../cli/filter-flags.ts';
import type { Moments } from '../cli/moments.ts';
import { createBaselineProgress } from './format-progress.ts';
import { COULD_NOT_BE_READ } from './watch-source.ts';

export interface ReportDisplayOptions {
  readonly settings: SourceSettings;
  readonly moments: Moments;
  /** The events that are printed. */
  readonly filter: FilterFlags;
  readonly log: CollapsingLog;
  /** Whether what goes well is not logged: one of many sources. */
  readonly isBrief: boolean;
  /** Gets the line of progress while the baseline runs, and undefined at its end. */
  readonly onProgress: (line: string | undefined) => void;
  /** Whether the lines of progress stay: where one can't be overwritten, some are logged. */
  readonly logsProgress: boolean;
}

export interface ReportDisplay {
  /** @param isNew whether the source has no state yet */
  start(isNew: boolean): void;
  show(report: TickReport): void;
}

/** Minimum time between lines of progress where lines can't be overwritten. */
export const PROGRESS_EVERY_MS = 10_000;

export function createReportDisplay(options: ReportDisplayOptions): ReportDisplay {
  const { settings, moments, filter, log, isBrief, onProgress, logsProgress } = options;
  const tell = isBrief ? log.debug : log.info;
  const progress = createBaselineProgress();
  let loggedAt = Date.now();
  /** The line of progress while the baseline runs. */
  let status: string | undefined;
  let isNew = false;
  let isGreeted = false;

  /**
   * Call it once there is a state. A new source gets it with the first answer, so a failure before is logged without
   * it.
   */
  function greet(state: SourceState): void {
    if (isGreeted) return;
    isGreeted = true;
    const { baseUrl, intervalMs } = settings;
    const every = `every ${intervalMs / 1_000} s`;
    tell(`watching ${new URL(baseUrl).host} ${every}; times in ${moments.zone}`);
    const selection = selectionInWords(filter);
    if (selection !== undefined) tell(`printing only ${selection}`);
    const { groups = 0 } = state.lanes.recent.round ?? {};
    if (isNew) tell(describeStart(state));
    else if (state.baselineAt === undefined) tell(`the baseline continues after ${groups} groups`);
  }

  return {
    start(isNewHere) {
      isNew = isNewHere;
    },
    show(report) {
      const { state, polls, counts, error } = report;
      if (state === undefined) return;
      if (polls > 0 || counts.groups > 0) greet(state);
      if (polls > 0 && error === undefined) log.end(COULD_NOT_BE_READ, 'The service is read again.');
      progress.note(report, Date.now());
      const line = progress.line(state, Date.now());
      if (state.baselineAt !== undefined) {
        if (status !== undefined) tell(line);
        status = undefined;
        onProgress(undefined);
        return;
      }
      status = line;
      onProgress(line);
      if (logsProgress && Date.now() - loggedAt >= PROGRESS_EVERY_MS) {
        loggedAt = Date.now();
        tell(line);
      }
    },
  };
}

/** Describes the first events. */
function describeStart({ mode }: SourceState): string {
  return mode === 'emit'
    ? 'publishing every return group that exists, and every change from now on'
    : 'publishing changes from now on; the return groups that exist are stored without events (--baseline silent)';
}
