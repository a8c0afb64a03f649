// The end of a tick: reports changed health and new drift once, releases the lease and saves the state.
import { formatHold } from '../guarding/describe-hold.ts';
import { standingHolds } from '../guarding/holds.ts';
import { formatInstant, MILLISECOND } from '../instant.ts';
import { MAX_DRIFT_REPORTED } from '../limits.ts';
import { SourceRefused } from '../pacing/errors.ts';
import { releaseLease } from '../pacing/lease.ts';
import { restAfter } from '../pacing/rest.ts';
import { halfWidth } from '../reading/range-width.ts';
import { queueFeedReport } from '../reporting/feed-reports.ts';
import { type Degradation, describeFailure, judgeHealth } from '../reporting/health.ts';
import { noteReadUpTo, reportRead } from '../reporting/source-read.ts';
import { withCycle } from '../source/cycle-state.ts';
import type { SourceState } from '../source/source-state.ts';
import { noteWalks } from './note-walks.ts';
import type { TickReport } from './tick-report.ts';
import type { RangeKind, TickRun } from './tick-run.ts';

/** @param error the failure that ended the tick early or that of its last poll; reaching the deadline is no failure */
export async function concludeTick(run: TickRun, error: Error | undefined): Promise<TickReport> {
  rest(run, error);
  narrowRange(run);
  reportHealth(run, error && describeFailure(error));
  reportDrift(run);
  reportWhatIsRead(run);
  run.update((state) => ({ ...state, lease: releaseLease(state.lease) }));
  await run.save();
  return run.report('done', error);
}

function rest(run: TickRun, error: Error | undefined): void {
  const { health } = run.state;
  const refusals = error instanceof SourceRefused ? health.refusals + 1 : run.polls > 0 ? 0 : health.refusals;
  const { settings, serviceClock } = run.session;
  const pause = error instanceof SourceRefused ? restAfter(refusals, settings.intervalMs * MILLISECOND) : 0;
  const restUntil = pause === 0 ? health.restUntil : serviceClock.now().atLeast + pause;
  run.update((state) => ({ ...state, health: { ...health, refusals, restUntil } }));
}

/** Halves a range that a whole tick could not finish (R3). */
function narrowRange(run: TickRun): void {
  const { unfinished } = run;
  if (unfinished !== undefined) run.update((state) => narrowed(state, unfinished));
}

function narrowed(state: SourceState, kind: RangeKind): SourceState {
  const { baseline, reconciliation, pollWidth } = state;
  if (kind === 'poll') return { ...state, pollWidth: halfWidth(pollWidth) };
  if (kind === 'baseline')
    return { ...state, baseline: { ...baseline, rangeWidth: halfWidth(baseline.rangeWidth) } };
  const cycle = reconciliation[kind];
  return withCycle(state, kind, { ...cycle, rangeWidth: halfWidth(cycle.rangeWidth) });
}

function reportHealth(run: TickRun, failure: Degradation | undefined): void {
  const { serviceClock, settings, place, log } = run.session;
  // By slots: while the service does not answer, each process estimates its time differently.
  const now = run.state.lastSlot * MILLISECOND;
  const since = run.state.health.degradedSince;
  const judged = judgeHealth(run.state.health, {
    now,
    isComplete: run.isComplete,
    hasWalked: noteWalks(run),
    setAside: run.state.setAside,
    holds: standingHolds(run.state).map((hold) => ({
      number: hold.number,
      message: formatHold(hold, settings.name, place),
    })),
    unstable: run.unstable,
    pollsAreBlind: run.pollsAreBlind,
    failure,
    intervalUs: settings.intervalMs * MILLISECOND,
  });
  run.update((state) => ({ ...state, health: { ...judged.health, failure: noteFailure(state, failure) } }));
  if (judged.report === undefined) return;
  const { degradedSince, reasons } = judged.health;
  if (judged.report === 'recovered') log.info('The source is read completely again.');
  else
    log.warn('The source is not being read completely.', { reasons: reasons.map(({ message }) => message) });
  const object = {
    type: 'source' as const,
    name: settings.name,
    reasons: [...reasons],
    since: formatInstant(degradedSince ?? since ?? now),
  };
  const type = judged.report === 'degraded' ? 'feed.source_degraded' : 'feed.source_recovered';
  run.update((state) => queueFeedReport(state, type, object, serviceClock.now().atMost));
}

/** Counts the ticks that fail one after the other. */
function noteFailure({ health, lastSlot }: SourceState, failure: Degradation | undefined) {
  if (failure === undefined) return undefined;
  const { since = lastSlot * MILLISECOND, ticks = 0 } = health.failure ?? {};
  return { ...failure, since, ticks: ticks + 1 };
}

/** Records up to which moment everything is read, and reports it once a minute if the settings ask for it. */
function reportWhatIsRead(run: TickRun): void {
  const { settings, serviceClock } = run.session;
  run.update(noteReadUpTo);
  if (settings.sourceRead) run.update((state) => reportRead(state, serviceClock.now().atMost));
}

/** Reports values and fields that the service's document does not list, each once. */
function reportDrift(run: TickRun): void {
  const { driftReported } = run.state;
  const findings = run
    .drift()
    .filter((finding) => !driftReported.includes(finding))
    .slice(0, MAX_DRIFT_REPORTED - driftReported.length);
  if (findings.length === 0) return;
  const { serviceClock, log } = run.session;
  log.warn('The service sends values or fields that its document does not list.', { findings });
  const drift = { type: 'drift' as const, findings };
  run.update((state) =>
    queueFeedReport(
      { ...state, driftReported: [...driftReported, ...findings] },
      'feed.drift_detected',
      drift,
      serviceClock.now().atMost,
    ),
  );
}
