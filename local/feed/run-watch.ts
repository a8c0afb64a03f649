// Watches a source from the first poll to the clean end: sends ticks on time, passes events on as they arrive, and at
// the end hands over the events of everything it has read.

import { DeadlineReached, SourceRefused } from '../../shared/pacing/errors.ts';
import type { Log, LogFields } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { InvalidTokenError, ReturnsServiceError } from '../../shared/returns-service/errors.ts';
import { untilAborted } from '../cli/until-aborted.ts';
import { type LocalFeed, type LocalFeedOptions, startLocalFeed } from './local-feed.ts';
import { nextTick } from './next-tick.ts';

export interface WatchOptions extends Omit<LocalFeedOptions, 'onProgress'> {
  /** Ends the reading after this time. */
  readonly forMs: number | undefined;
  /**
   * How long the end waits for the events of what was read, in milliseconds.
   *
   * @default by {@link patienceMs}
   */
  readonly lastEventsMs?: number;
  /** Ends the watch when aborted. */
  readonly signal: AbortSignal;
  /** Called before the first tick. @param isNew whether the source has no state yet */
  readonly onStart?: (isNew: boolean) => void;
  readonly onReport: (report: TickReport) => void;
}

/** How long the end waits for the events of what was read. A second Ctrl-C ends the wait. */
const LAST_EVENTS_MS = 30_000;
/** After `--for`, without stored state: the events that are not handed over are lost, and nobody waits. */
const LAST_EVENTS_UNHURRIED_MS = 600_000;
/** After `--for`, with stored state: the next start hands over the rest, so the command ends near its time. */
const LAST_EVENTS_STORED_MS = 10_000;
const WARN_AFTER_MS = 1_500;
/** A single tick may be dropped because a clock was set. */
const DROPPED_IN_A_ROW = 2;
const NOTHING_IS_READ =
  'Nothing is read: the stored last tick is later than the local time. Check the clock of this machine; ' +
  'if it is right, restart the command.';

/** Logged for each tick that fails. */
export const COULD_NOT_BE_READ = 'The service could not be read; retrying.';

/**
 * Watches until the signal or the time ends it.
 *
 * @throws the error of a tick before the first successful poll, if it refuses the token; Error if the time is over and
 *   nothing was read
 */
export async function runWatch(options: WatchOptions): Promise<void> {
  const { settings, log, onReport, forMs } = options;
  const failures = noteErrors(log);
  const feed = await startLocalFeed({ ...options, log: failures.log, onProgress: onReport });
  const ends = forMs === undefined ? [] : [AbortSignal.timeout(forMs)];
  const ending = AbortSignal.any([options.signal, ...ends]);
  ending.addEventListener('abort', feed.stopPolling, { once: true });
  if (ending.aborted) feed.stopPolling();
  let last: TickReport | undefined;
  options.onStart?.(feed.isNew);
  try {
    let isKnown = false;
    let isRead = false;
    let dropped = 0;
    let next = Date.now();
    while (!ending.aborted) {
      await Promise.race([untilMoment(next, ending), feed.failed]);
      if (ending.aborted) break;
      const report = await feed.tick();
      next = nextTick({ last: next, now: Date.now() }, settings, report);
      onReport(report);
      if (!isKnown && isTokenRefused(report.error)) throw report.error;
      if (report.error !== undefined && !ending.aborted) log.warn(COULD_NOT_BE_READ, { error: report.error });
      dropped = report.outcome === 'late' ? dropped + 1 : 0;
      if (dropped >= DROPPED_IN_A_ROW) log.warn(NOTHING_IS_READ, { dropped });
      isKnown ||= report.polls > 0;
      isRead ||= report.polls > 0 || report.counts.groups > 0;
      // The last tick is cut off by the end: an earlier error says more.
      if (last?.error === undefined || report.error !== undefined) last = report;
    }
    await handOver(feed, options);
    if (!isRead && !options.signal.aborted) throw nothingRead(last, failures.last());
  } finally {
    await feed.close();
  }
}

/**
 * The error of a watch whose time was over before anything was read.
 *
 * @param failure of the last request: the end cuts its retries off, so that no tick reports it
 */
function nothingRead(last: TickReport | undefined, failure: Error | undefined): Error {
  const error = last?.error instanceof DeadlineReached ? last.error.cause : last?.error;
  const cause = error instanceof Error ? error : failure;
  const reason = cause?.message ?? last?.state?.health.reasons[0]?.message;
  return new Error(`Nothing was read. ${reason ?? 'No poll ended in time: give --for more time.'}`, {
    cause,
  });
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

/** How long the end waits for the last events. */
export function patienceMs({
  isInterrupted,
  isStored,
}: {
  isInterrupted: boolean;
  isStored: boolean;
}): number {
  if (isInterrupted) return LAST_EVENTS_MS;
  return isStored ? LAST_EVENTS_STORED_MS : LAST_EVENTS_UNHURRIED_MS;
}

async function handOver(
  feed: LocalFeed,
  { signal, log, dataDir, lastEventsMs }: WatchOptions,
): Promise<void> {
  const patience = new AbortController();
  const isStored = dataDir !== undefined;
  const limitMs = lastEventsMs ?? patienceMs({ isInterrupted: signal.aborted, isStored });
  const warn = () => signal.aborted && log.warn('Delivering the last events. Ctrl-C again stops at once.');
  const warning = setTimeout(warn, WARN_AFTER_MS);
  const limit = untilMoment(Date.now() + limitMs, patience.signal);
  const all = feed.handOver().then(() => 'all');
  const outcome = await Promise.race([all, limit.then(() => 'some'), feed.failed]).finally(() => {
    patience.abort();
    clearTimeout(warning);
  });
  if (outcome === 'all') return;
  const rest = isStored ? ' The next start with the same --data continues with them.' : '';
  log.warn(`Stopped before all events were delivered.${rest}`);
}

/** Nothing else ends a start: after a restart of the machine, the network or the service may come up later. */
function isTokenRefused(error: Error | undefined): boolean {
  return error instanceof SourceRefused || error instanceof InvalidTokenError;
}

function untilMoment(moment: number, signal: AbortSignal): Promise<void> {
  return untilAborted(Math.max(0, moment - Date.now()), signal);
}
