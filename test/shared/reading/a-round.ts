// A round with nothing around it.
import type { TickRun } from '../../../shared/lanes/tick-run.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { beginRound, type Round } from '../../../shared/reading/round.ts';
import type { RoundContext } from '../../../shared/reading/round-context.ts';

export type RoundOptions = Partial<Pick<RoundContext, 'lane' | 'first' | 'plan' | 'known' | 'onComplete'>>;

/** A round that has just begun, with changes of it. */
export function aRound(
  run: TickRun,
  stack: readonly Range[],
  options: RoundOptions = {},
  changes: Partial<Round> = {},
): RoundContext {
  let round = { ...beginRound(run.now(), stack), ...changes };
  return {
    ...{ run, lane: 'late', first: 'newest', ...options },
    get round() {
      return round;
    },
    update(change) {
      round = change(round);
    },
  };
}
