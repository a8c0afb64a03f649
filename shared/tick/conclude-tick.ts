// The end of a tick: what it says of the source's health and of the service's drift is told once, the lease is given
// back, and the state is saved.
import { formatHold } from '../guarding/describe-hold.ts';
import { standingHolds } from '../guarding/holds.ts';
import { formatInstant, MILLISECOND } from '../instant.ts';
import { MAX_DRIFT_TOLD, NARROWEST_RANGE } from '../limits.ts';
import { SourceRefused } from '../pacing/errors.ts';
import { releaseLease } from '../pacing/lease.ts';
import { restAfter } from '../pacing/rest.ts';
import { queueFeedReport } from '../reporting/feed-reports.ts';
import { type Degradation, describeFailure, judgeHealth } from '../reporting/health.ts';
import { noteWalks } from './note-walks.ts';
import type { TickReport } from './tick-report.ts';
import type { TickRun } from './tick-run.ts';

/** @param error what ended the tick early, unless that was its deadline */
export async function concludeTick(run: TickRun, error: Error | undefined): Promise<TickReport> {
  rest(run, error);
  narrowRange(run);
  reportHealth(run, error && describeFailure(error));
  reportDrift(run);
  run.state = { ...run.state, lease: releaseLease(run.state.lease) };
  await run.save();
  return run.report('done', error);
}

function rest(run: TickRun, error: Error | undefined): void {
  const { health } = run.state;
  const refusals = error instanceof SourceRefused ? health.refusals + 1 : run.polls > 0 ? 0 : health.refusals;
  const { settings, serviceClock } = run.session;
  const pause = error instanceof SourceRefused ? restAfter(refusals, settings.intervalMs * MILLISECOND) : 0;
  const restUntil = pause === 0 ? health.restUntil : serviceClock.now().atLeast + pause;
  run.state = { ...run.state, health: { ...health, refusals, restUntil } };
}

/** A range that a whole tick did not get through is asked half as wide next time (R3). */
function narrowRange(run: TickRun): void {
  const { state, unfinished } = run;
  const half = (width: number) => Math.max(Math.floor(width / 2), NARROWEST_RANGE);
  if (unfinished === 'poll') {
    run.state = { ...state, pollWidth: half(state.pollWidth) };
  } else if (unfinished === 'baseline') {
    const { baseline } = state;
    run.state = { ...state, baseline: { ...baseline, rangeWidth: half(baseline.rangeWidth) } };
  } else if (unfinished !== undefined) {
    const cycle = state.reconciliation[unfinished];
    const narrowed = { ...cycle, rangeWidth: half(cycle.rangeWidth) };
    run.state = { ...state, reconciliation: { ...state.reconciliation, [unfinished]: narrowed } };
  }
}

function reportHealth(run: TickRun, failure: Degradation | undefined): void {
  const { serviceClock, settings, log } = run.session;
  // While the service does not answer there is no time of its own, and each process has another idea of it.
  const now = run.state.lastSlot * MILLISECOND;
  const since = run.state.health.degradedSince;
  const judged = judgeHealth(run.state.health, {
    now,
    isComplete: run.isComplete,
    hasWalked: noteWalks(run),
    setAside: run.state.setAside,
    holds: standingHolds(run.state).map((hold) => ({
      number: hold.number,
      message: formatHold(hold, settings.name),
    })),
    unstable: run.unstable,
    failure,
    intervalUs: settings.intervalMs * MILLISECOND,
  });
  run.state = { ...run.state, health: judged.health };
  if (judged.tell === undefined) return;
  const { degradedSince, reasons } = judged.health;
  log.warn(
    judged.tell === 'degraded'
      ? 'The source is not being read completely.'
      : 'The source is read completely again.',
    {
      reasons: reasons.map(({ message }) => message),
    },
  );
  const object = {
    type: 'source' as const,
    name: settings.name,
    reasons: [...reasons],
    since: formatInstant(degradedSince ?? since ?? now),
  };
  const type = judged.tell === 'degraded' ? 'feed.source_degraded' : 'feed.source_recovered';
  run.state = queueFeedReport(run.state, type, object, serviceClock.now().atMost);
}

/** Values and fields that the service's document does not list are told once each. */
function reportDrift(run: TickRun): void {
  const { driftReported } = run.state;
  const findings = run
    .drift()
    .filter((finding) => !driftReported.includes(finding))
    .slice(0, MAX_DRIFT_TOLD - driftReported.length);
  if (findings.length === 0) return;
  const { serviceClock, log } = run.session;
  log.warn('The service sends what its document does not list.', { findings });
  const told = { ...run.state, driftReported: [...driftReported, ...findings] };
  const drift = { type: 'drift' as const, findings };
  run.state = queueFeedReport(told, 'feed.drift_detected', drift, serviceClock.now().atMost);
}
