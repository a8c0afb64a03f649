// What a tick did, for its caller: metrics, `watch` and the simulation.

import type { RecordCounts } from '../recording/record-pages.ts';
import type { Degradation } from '../reporting/health.ts';
import type { SourceState } from '../source/source-state.ts';

export interface TickReport {
  readonly source: string;
  /**
   * `done`: polled, with whatever result. `busy`: another process holds the lease. `late`: the tick's slot was taken
   * before. `resting`: the service refused the token a moment ago. `overtaken`: another process took the source over.
   */
  readonly outcome: 'done' | 'busy' | 'late' | 'resting' | 'overtaken';
  /** Polls of this tick that were finished. */
  readonly polls: number;
  readonly requests: number;
  /** Of the requests, those that the service answered with 429. */
  readonly rateLimited: number;
  readonly counts: RecordCounts;
  /** Of the events, those of changes that polls had not found. */
  readonly foundByReconciliation: number;
  /** How long ago polls last covered everything; undefined where the source was not this tick's. */
  readonly behindMs: number | undefined;
  /** How long until reconciliation has something to do again; undefined where that is for the next poll's tick to see. */
  readonly nextCycleInMs: number | undefined;
  readonly failure: Degradation | undefined;
  /** What ended the tick early, for people who see it happen; never with the token or a row's value. */
  readonly error: Error | undefined;
  /** The state as saved at the end; undefined where the source was not this tick's. */
  readonly state: SourceState | undefined;
}
