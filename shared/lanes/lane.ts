// A lane: what is read at one rhythm, with one request under way. A round survives ticks by its stack of ranges, which
// the source's state keeps; the lane that has none under way begins one when it is due.
import type { Instant } from '../instant.ts';
import { beginRound, type Round } from '../reading/round.ts';
import { type RoundContext, RoundFailed } from '../reading/round-context.ts';
import { createRoundReader } from '../reading/round-reader.ts';
import type { KeptLane, LaneName, LaneState } from '../source/source-state.ts';
import type { TickRun } from './tick-run.ts';

export interface Lane {
  readonly name: LaneName;
  /** When it has work again, by the local clock; infinite if nothing is known to come due. */
  dueAt(): Instant;
  /** Reads a whole round, or what is left of one. @throws DeadlineReached and what ends a tick */
  work(): Promise<void>;
}

export function updateLane(run: TickRun, name: KeptLane, change: (lane: LaneState) => LaneState): void {
  run.update((state) => ({ ...state, lanes: { ...state.lanes, [name]: change(state.lanes[name]) } }));
}

/** Reads a kept lane's round to its end. @returns undefined if it has to begin anew; else the groups read in this tick */
export async function drain(
  run: TickRun,
  name: KeptLane,
  options: Pick<RoundContext, 'first' | 'plan' | 'known' | 'onComplete'>,
): Promise<ReadonlyMap<number, Instant> | undefined> {
  const context: RoundContext = {
    ...{ run, lane: name, ...options },
    get round() {
      return run.state.lanes[name].round ?? ENDED;
    },
    update: (change) =>
      updateLane(run, name, (lane) => ({ ...lane, round: lane.round && change(lane.round) })),
  };
  const reader = createRoundReader(context);
  try {
    while (context.round.stack.length > 0) {
      await reader.readNext();
      if (run.state.baselineAt === undefined) run.progress();
    }
    return reader.created();
  } catch (error) {
    if (!(error instanceof RoundFailed)) throw error;
    run.failure = error.cause instanceof Error ? error.cause : error;
    return undefined;
  }
}

/** The round that another lane has ended meanwhile, as a walk over all groups does that of `older`: nothing is left. */
const ENDED: Round = beginRound(0, []);
