// The result of a tick, for its caller: metrics, `watch` and the simulation.

import type { RecordCounts } from '../recording/record-pages.ts';
import type { Degradation } from '../reporting/health.ts';
import type { SourceState } from '../source/source-state.ts';

export interface TickReport {
  readonly source: string;
  /**
   * `done`: the tick ran, failed or not. `busy`: another process holds the lease. `late`: its slot or a later one was
   * taken before. `resting`: the source pauses, for up to a quarter of an hour, because the token was refused.
   * `overtaken`: another process took the source over.
   */
  readonly outcome: 'done' | 'busy' | 'late' | 'resting' | 'overtaken';
  /** Polls that this tick finished. */
  readonly polls: number;
  readonly requests: number;
  /** Requests that the service answered with 429. */
  readonly rateLimited: number;
  readonly counts: RecordCounts;
  /** Events of changes that polls had not found. */
  readonly foundByReconciliation: number;
  /**
   * Since polls last covered everything, or walks last made progress if longer ago; undefined if the tick did not take
   * the source.
   */
  readonly behindMs: number | undefined;
  /**
   * Until the next reconciliation cycle; undefined during one, during the baseline, and if the tick did not take the
   * source.
   */
  readonly nextCycleInMs: number | undefined;
  readonly failure: Degradation | undefined;
  /** How a list failed to keep its order in this tick, if one did. Its range may have been covered all the same. */
  readonly unstable: string | undefined;
  /** The error behind `failure`, for operators; never contains the token or a row's value. */
  readonly error: Error | undefined;
  /** The state as saved at the end; undefined if the tick did not have the source. */
  readonly state: SourceState | undefined;
}
