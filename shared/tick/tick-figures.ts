// The figures of a tick, and the report made of them.
import { MILLISECOND } from '../instant.ts';
import type { Purpose } from '../pacing/budget-state.ts';
import type { PacedRequests } from '../pacing/paced-requests.ts';
import type { RecordCounts, Recorder } from '../recording/record-pages.ts';
import { describeFailure } from '../reporting/health.ts';
import { nextCycleIn } from '../source/reconciliation-plan.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { SourceState } from '../source/source-state.ts';
import type { TickReport } from './tick-report.ts';

export interface TickFigures {
  /** Counts what the recorder records. */
  countRecorder(recorder: Recorder, through: 'poll' | 'reconciliation' | 'baseline'): void;
  /** Requests of this tick so far: for the given purposes, or for all. */
  requestsSent(...purposes: readonly Purpose[]): number;
  report(
    outcome: TickReport['outcome'],
    polls: number,
    state: SourceState | undefined,
    error?: Error,
  ): Omit<TickReport, 'unstable'>;
}

export function createTickFigures(
  session: SourceSession,
  requests: Pick<PacedRequests, 'counters'>,
): TickFigures {
  const { settings, serviceClock } = session;
  const before = requests.counters();
  const recorders: Recorder[] = [];
  const reconcilers: Recorder[] = [];

  function since(name: 'sent' | 'rateLimited', purposes: readonly Purpose[]): number {
    const now = requests.counters();
    return purposes.reduce((sum, purpose) => sum + now[purpose][name] - before[purpose][name], 0);
  }

  function nextCycleInMs(state: SourceState): number | undefined {
    const next = nextCycleIn(state, settings, serviceClock.now().atLeast);
    return next === undefined ? undefined : Math.ceil(next / MILLISECOND);
  }

  const figures: TickFigures = {
    countRecorder(recorder, through) {
      recorders.push(recorder);
      if (through === 'reconciliation') reconcilers.push(recorder);
    },
    requestsSent: (...purposes) => since('sent', purposes.length === 0 ? PURPOSES : purposes),
    report(outcome, polls, known, error) {
      const state = outcome === 'done' ? known : undefined;
      return {
        source: settings.name,
        outcome,
        polls,
        requests: figures.requestsSent(),
        rateLimited: since('rateLimited', PURPOSES),
        counts: sumCounts(recorders),
        foundByReconciliation: sumCounts(reconcilers).events,
        behindMs: state && behindMs(state),
        nextCycleInMs: state && nextCycleInMs(state),
        failure: error && describeFailure(error),
        error,
        state,
      };
    },
  };
  return figures;
}

const PURPOSES = ['poll', 'covering', 'reconciliation'] as const;

/** By slots, like the source's health: since polls covered everything, or walks last made progress. */
function behindMs({ health, lastSlot }: SourceState): number {
  const { lastSettledAt, lastWalkedAt = lastSettledAt } = health;
  return Math.max(0, lastSlot - Math.min(lastSettledAt, lastWalkedAt) / MILLISECOND);
}

function sumCounts(recorders: readonly Recorder[]): RecordCounts {
  const sum: RecordCounts = { groups: 0, firstSeen: 0, events: 0, left: 0, unreadable: 0 };
  for (const { counts } of recorders) {
    for (const name of Object.keys(sum) as (keyof RecordCounts)[]) sum[name] += counts[name];
  }
  return sum;
}
