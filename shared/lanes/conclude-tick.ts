// The end of a tick: reports changed health and new drift once, releases the lease and saves the state.
import { type Instant, MILLISECOND } from '../instant.ts';
import { MAX_DRIFT_REPORTED } from '../limits.ts';
import { SourceRefused } from '../pacing/errors.ts';
import { releaseLease } from '../pacing/lease.ts';
import { restAfter } from '../pacing/rest.ts';
import { queueFeedReport } from '../reporting/feed-reports.ts';
import { reportHealth } from '../reporting/health.ts';
import { reportRead } from '../reporting/source-read.ts';
import type { SourceState } from '../source/source-state.ts';
import type { TickRun } from './tick-run.ts';

/** @param error what ended the tick early; reaching the deadline is no failure */
export async function concludeTick(run: TickRun, error: Error | undefined): Promise<void> {
  const { settings, place, log, requests, clock } = run.session;
  const now = clock.now();
  run.update((state) => rest({ ...state, pausedUntil: requests.pausedUntil }, run, error, now));
  const before = run.state.health.degradedSince;
  const met = { settings, place, error, lastFailure: run.failure, hasPolled: run.polls > 0, now };
  run.update((state) => reportHealth(state, met));
  const { degradedSince, reasons } = run.state.health;
  if (before === undefined && degradedSince !== undefined)
    log.warn('The source is not being read completely.', { reasons: reasons.map(({ message }) => message) });
  if (before !== undefined && degradedSince === undefined) log.info('The source is read completely again.');
  reportDrift(run, now);
  run.update((state) => reportRead(state, now, settings.sourceRead));
  run.update((state) => ({ ...state, lease: releaseLease(state.lease) }));
  await run.cell.save();
}

/** Notes how long the source rests after its token was refused. */
function rest(state: SourceState, run: TickRun, error: Error | undefined, now: Instant): SourceState {
  const { health } = state;
  const isRefused = error instanceof SourceRefused;
  const refusals = isRefused ? health.refusals + 1 : run.polls > 0 ? 0 : health.refusals;
  const interval = run.session.settings.intervalMs * MILLISECOND;
  const restUntil = isRefused ? now + restAfter(refusals, interval) : health.restUntil;
  return { ...state, health: { ...health, refusals, restUntil } };
}

/** Reports values and fields that the service's document does not list, each once. */
function reportDrift(run: TickRun, now: Instant): void {
  const { driftReported } = run.state;
  const findings = [...run.drift]
    .filter((finding) => !driftReported.includes(finding))
    .slice(0, MAX_DRIFT_REPORTED - driftReported.length);
  if (findings.length === 0) return;
  run.session.log.warn('The service sends values or fields that its document does not list.', { findings });
  const drift = { type: 'drift' as const, findings };
  run.update((state) =>
    queueFeedReport(
      { ...state, driftReported: [...driftReported, ...findings] },
      'feed.drift_detected',
      drift,
      now,
    ),
  );
}
