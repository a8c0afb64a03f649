// Polls one source until its end: sends its ticks on time, and reports them.
import { SourceRefused } from '../../shared/pacing/errors.ts';
import type { Log, LogFields } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { InvalidTokenError, ReturnsServiceError } from '../../shared/returns-service/errors.ts';
import { untilMoment } from '../cli/until-aborted.ts';
import type { LocalFeed } from './local-feed.ts';
import { nextTick } from './next-tick.ts';
import type { WatchedSource } from './watch-plan.ts';

export interface SourceReporting {
  readonly log: Log;
  /** Called before the first tick. @param isNew whether the source has no state yet */
  readonly onStart?: (isNew: boolean) => void;
  readonly onReport: (report: TickReport) => void;
}

export interface SourceWatchOptions extends SourceReporting {
  /** When the first tick begins, in milliseconds since the epoch. */
  readonly firstAt: number;
  /** Ends the watch when aborted. */
  readonly ending: AbortSignal;
  /** Whether the service may end it by refusing the token before anything was read. */
  readonly endsIfRefused: boolean;
}

export interface SourceOutcome {
  readonly isRead: boolean;
  /** The last report, or an earlier one whose error says more. */
  readonly last: TickReport | undefined;
  /** Of the last request: the end cuts its retries off, so that no tick reports it. */
  readonly failure: Error | undefined;
}

export const NOT_READ: SourceOutcome = { isRead: false, last: undefined, failure: undefined };

/** A single tick may be dropped because a clock was set. */
const DROPPED_IN_A_ROW = 2;
const NOTHING_IS_READ =
  'Nothing is read: the stored last tick is later than the local time. Check the clock of this machine; ' +
  'if it is right, restart the command.';

/** Logged for each tick that fails. */
export const COULD_NOT_BE_READ = 'The service could not be read; retrying.';

/** @throws what {@link LocalFeed.openSource} throws, and the refusal of the token if that ends the watch */
export async function watchSource(
  feed: LocalFeed,
  source: WatchedSource,
  { firstAt, ending, endsIfRefused, onStart, onReport, ...options }: SourceWatchOptions,
): Promise<SourceOutcome> {
  const { log, last: lastFailure } = noteErrors(options.log);
  await untilMoment(firstAt, ending);
  if (ending.aborted) return NOT_READ;
  const ticks = await feed.openSource(source, { log, onProgress: onReport });
  ending.addEventListener('abort', ticks.stopPolling, { once: true });
  if (ending.aborted) ticks.stopPolling();
  onStart?.(ticks.isNew);
  try {
    let last: TickReport | undefined;
    let [isKnown, isRead, dropped, next] = [false, false, 0, Date.now()];
    while (!ending.aborted) {
      await untilMoment(next, ending);
      if (ending.aborted) break;
      const report = await ticks.tick();
      next = nextTick({ last: next, now: Date.now() }, source.settings, report);
      onReport(report);
      if (endsIfRefused && !isKnown && isTokenRefused(report.error)) throw report.error;
      if (report.error !== undefined && !ending.aborted) log.warn(COULD_NOT_BE_READ, { error: report.error });
      dropped = report.outcome === 'late' ? dropped + 1 : 0;
      if (dropped >= DROPPED_IN_A_ROW) log.warn(NOTHING_IS_READ, { dropped });
      isKnown ||= report.polls > 0;
      isRead ||= report.polls > 0 || report.counts.groups > 0;
      // The last tick is cut off by the end: an earlier error says more.
      if (last?.error === undefined || report.error !== undefined) last = report;
    }
    return { isRead, last, failure: lastFailure() };
  } finally {
    ending.removeEventListener('abort', ticks.stopPolling);
    await ticks.close();
  }
}

/** The log, and the last error that a request logged, also below the level that is shown. */
function noteErrors(log: Log): { readonly log: Log; last(): Error | undefined } {
  let last: Error | undefined;
  const noting = (write: Log['debug']) => (message: string, fields?: LogFields) => {
    if (fields?.error instanceof ReturnsServiceError) last = fields.error;
    write(message, fields);
  };
  return { log: { ...log, debug: noting(log.debug), warn: noting(log.warn) }, last: () => last };
}

/** Nothing else ends a start: after a restart of the machine, the network or the service may come up later. */
function isTokenRefused(error: Error | undefined): boolean {
  return error instanceof SourceRefused || error instanceof InvalidTokenError;
}
