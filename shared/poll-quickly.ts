// A poll that writes nothing where nothing is new.
import type { RecordCounts } from './reporting/tick-report.ts';
import type { SourceSession } from './source/source-session.ts';

export interface QuickTick {
  /** When it was due, in milliseconds since the epoch. */
  readonly slot: number;
  readonly durationMs: number;
}

export interface QuickReport {
  readonly source: string;
  /**
   * `quiet`: read completely, nothing was new, nothing was written. `saved`: it took the lease and saved. `busy`,
   * `resting`, `late`, `overtaken`: as for ticks. `long`: the long queue has to go on; `why` says why.
   */
  readonly outcome: 'quiet' | 'saved' | 'busy' | 'resting' | 'late' | 'overtaken' | 'long';
  readonly why: string | undefined;
  readonly requests: number;
  readonly rateLimited: number;
  readonly polls: number;
  readonly counts: Readonly<RecordCounts>;
  readonly behindMs: number | undefined;
  readonly error: Error | undefined;
}

export async function pollQuickly(_tick: QuickTick, session: SourceSession): Promise<QuickReport> {
  throw new Error(`Source ${session.settings.name} can't be polled quickly yet.`);
}
