import { formatInstant } from '../instant.ts';
import { queueFeedReport } from '../reporting/feed-reports.ts';
import { noteReconciled } from '../reporting/source-read.ts';
import type { SourceState } from '../source/source-state.ts';
import { noteCutShort } from './known-pieces.ts';
import type { TickRun } from './tick-run.ts';

/**
 * Marks the baseline as completed and queues its report: from now on, a group seen for the first time is new.
 *
 * @param isWhole whether the newest groups were proved as well
 */
export function completeBaseline(run: TickRun, isWhole: boolean): void {
  const { baseline } = run.state;
  const now = run.session.serviceClock.now().atMost;
  const object = {
    type: 'baseline' as const,
    mode: baseline.mode,
    groups: baseline.groups,
    requests: baseline.requests,
    started_at: formatInstant(baseline.startedAt),
    completed_at: formatInstant(now),
  };
  run.update((state) => {
    const completed: SourceState = { ...state, baseline: { ...baseline, status: 'completed' } };
    return queueFeedReport(completed, 'feed.baseline_completed', object, now);
  });
  noteCutShort(run);
  // The baseline is the first walk over all groups.
  if (isWhole) run.update((state) => noteReconciled(state, run.session.settings));
}
