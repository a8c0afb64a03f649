// The result of a tick, for its caller: metrics, `watch` and the simulation.
import { type Instant, MILLISECOND } from '../instant.ts';
import type { Requests } from '../pacing/requests.ts';
import type { Clock } from '../ports.ts';
import { hasFresh } from '../source/rhythms.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import type { SourceState } from '../source/source-state.ts';
import { behindSince, type Degradation, describeFailure } from './health.ts';

export interface RecordCounts {
  /** Groups of all pages, each as often as it came. */
  groups: number;
  /** Groups seen for the first time. */
  firstSeen: number;
  events: number;
  /** Events of changes that polls had not found. */
  foundByWalks: number;
  /** Readings left for later: too stale to be accepted, or overtaken by another process. */
  left: number;
  unreadable: number;
}

export interface TickReport {
  readonly source: string;
  /**
   * `done`: the tick ran, failed or not. `busy`: another process holds the lease. `late`: its slot or a later one was
   * taken before. `resting`: the source pauses, for up to a quarter of an hour, because the token was refused.
   * `overtaken`: another process took the source over.
   */
  readonly outcome: 'done' | 'busy' | 'late' | 'resting' | 'overtaken';
  /** Complete rounds of polls in this tick. */
  readonly polls: number;
  readonly requests: number;
  /** Requests that the service answered with 429. */
  readonly rateLimited: number;
  readonly counts: Readonly<RecordCounts>;
  /** Since when the source is not read completely; 0 if it is, undefined if the tick did not take the source. */
  readonly behindMs: number | undefined;
  /** When polls are due again, by the local clock. */
  readonly pollsAt: Instant;
  readonly failure: Degradation | undefined;
  /** The error behind `failure`, for operators; never contains the token or a row's value. */
  readonly error: Error | undefined;
  /** The state as saved at the end; undefined if the tick did not have the source. */
  readonly state: SourceState | undefined;
}

export const NOTHING_RECORDED: Readonly<RecordCounts> = {
  ...{ groups: 0, firstSeen: 0, events: 0, foundByWalks: 0, left: 0, unreadable: 0 },
};

/** The part of the source's session that a report needs. */
interface Reported {
  readonly settings: SourceSettings;
  readonly requests: Pick<Requests, 'counters'>;
  readonly clock: Clock;
  readonly fresh: { readonly dueAt: Instant };
}

/** @param before the session's counters as the tick began */
export function reportTick(
  session: Reported,
  outcome: TickReport['outcome'],
  before: Requests['counters'],
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

function pollsAt({ settings, fresh }: Reported, state: SourceState | undefined): Instant {
  const { dueAt = 0, requests = 0 } = state?.lanes.late ?? {};
  return hasFresh(settings, requests) ? Math.min(fresh.dueAt, dueAt) : dueAt;
}
