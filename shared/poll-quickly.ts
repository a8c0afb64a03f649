// A poll that writes nothing where nothing is new.
import type { TickReport } from './reporting/tick-report.ts';
import type { SourceSession } from './source/source-session.ts';

export interface QuickTick {
  /** When it was due, in milliseconds since the epoch. */
  readonly slot: number;
  /** How long it may work: a request's timeout, and some time to save. */
  readonly durationMs: number;
}

export interface QuickReport extends Omit<TickReport, 'outcome' | 'state'> {
  /**
   * `quiet`: nothing was new, and nothing was written. `saved`: it took the lease and saved. `long`: a long tick has to
   * go on. The others as for ticks.
   */
  readonly outcome: 'quiet' | 'saved' | 'long' | Exclude<TickReport['outcome'], 'done'>;
  /** Why a long tick has to go on. */
  readonly why: string | undefined;
  /** The moment for which a complete poll stands, in milliseconds since the epoch; undefined without one. */
  readonly quietAt: number | undefined;
}

export async function pollQuickly(_tick: QuickTick, session: SourceSession): Promise<QuickReport> {
  throw new Error(`Source ${session.settings.name} can't be polled quickly yet.`);
}
