// Reads a round of ranges with nothing around it.
import type { TickRun } from '../../../shared/lanes/tick-run.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { beginRound, type Round } from '../../../shared/reading/round.ts';
import type { RoundContext } from '../../../shared/reading/round-context.ts';
import { createRoundReader } from '../../../shared/reading/round-reader.ts';

/** @returns the round at its end. @throws RoundFailed, and an Error if it does not end */
export async function readRound(
  run: TickRun,
  stack: readonly Range[],
  options: Partial<Pick<RoundContext, 'lane' | 'first' | 'known' | 'onComplete'>> = {},
  mostRequests = 2_000,
): Promise<Round & { readonly mostWaiting: number }> {
  let round = beginRound(run.now(), stack);
  const reader = createRoundReader({
    ...{ run, lane: 'late', first: 'newest', ...options },
    get round() {
      return round;
    },
    update(change) {
      round = change(round);
    },
  });
  let mostWaiting = 0;
  while (round.stack.length > 0) {
    mostWaiting = Math.max(mostWaiting, round.stack.length);
    await reader.readNext();
    if (round.requests > mostRequests)
      throw new Error(`The round does not end: ${JSON.stringify(round.stack)}`);
  }
  return { ...round, mostWaiting };
}
