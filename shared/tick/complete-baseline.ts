import { formatInstant } from '../instant.ts';
import { tellFeedEvent } from '../tell-feed.ts';
import type { TickRun } from './tick-run.ts';

/** Notes and tells that every group was read once: from now on a group first seen is a new one. */
export async function completeBaseline(run: TickRun): Promise<void> {
  const { ledger, serviceClock } = run.session;
  const { baseline } = run.state;
  const now = serviceClock.now().atMost;
  const feedSequence = await tellFeedEvent(
    ledger,
    run.state,
    'feed.baseline_completed',
    {
      type: 'baseline',
      mode: baseline.mode,
      groups: baseline.groups,
      requests: baseline.requests,
      started_at: formatInstant(baseline.startedAt),
      completed_at: formatInstant(now),
    },
    now,
  );
  run.state = { ...run.state, feedSequence, baseline: { ...baseline, status: 'completed' } };
}
