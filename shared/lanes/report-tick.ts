import { type Instant, MILLISECOND } from '../instant.ts';
import { behindSince, describeFailure } from '../reporting/health.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { SourceState } from '../source/source-state.ts';
import { hasFresh } from './rhythms.ts';
import type { TickReport } from './tick-report.ts';

/** @param before the session's counters as the tick began */
export function reportTick(
  session: SourceSession,
  outcome: TickReport['outcome'],
  before: SourceSession['requests']['counters'],
  work: Pick<TickReport, 'polls' | 'counts' | 'error' | 'state'>,
): TickReport {
  const { settings, requests, clock } = session;
  const { state, error } = work;
  return {
    source: settings.name,
    outcome,
    ...work,
    requests: requests.counters.sent - before.sent,
    rateLimited: requests.counters.rateLimited - before.rateLimited,
    behindMs: state && Math.max(0, Math.round((clock.now() - behindSince(state, clock.now())) / MILLISECOND)),
    pollsAt: pollsAt(session, state),
    failure: error && describeFailure(error),
  };
}

function pollsAt({ settings, fresh }: SourceSession, state: SourceState | undefined): Instant {
  const { dueAt = 0, requests = 0 } = state?.lanes.late ?? {};
  return hasFresh(settings, requests) ? Math.min(fresh.dueAt, dueAt) : dueAt;
}
