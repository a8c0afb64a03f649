// Reads a round of ranges with nothing around it.
import type { TickRun } from '../../../shared/lanes/tick-run.ts';
import type { Range } from '../../../shared/reading/range.ts';
import { beginRound, type Round } from '../../../shared/reading/round.ts';
import type { RoundContext } from '../../../shared/reading/round-context.ts';
import { createRoundReader } from '../../../shared/reading/round-reader.ts';

interface ReadOptions extends Partial<Pick<RoundContext, 'lane' | 'first' | 'known' | 'onComplete'>> {
  /** After so many steps the round goes on as in another tick. @default never */
  readonly requestsOfATick?: number;
}

const MOST_REQUESTS = 2_000;

/** @returns the round at its end. @throws RoundFailed, and an Error if it does not end */
export async function readRound(
  run: TickRun,
  stack: readonly Range[],
  { requestsOfATick = Number.POSITIVE_INFINITY, ...options }: ReadOptions = {},
): Promise<Round & { readonly mostWaiting: number }> {
  let round = beginRound(run.now(), stack);
  const context: RoundContext = {
    ...{ run, lane: 'late', first: 'newest', ...options },
    get round() {
      return round;
    },
    update(change) {
      round = change(round);
    },
  };
  let reader = createRoundReader(context);
  let mostWaiting = 0;
  for (let steps = 1; round.stack.length > 0; steps += 1) {
    mostWaiting = Math.max(mostWaiting, round.stack.length);
    await reader.readNext();
    if (steps % requestsOfATick === 0) {
      round = structuredClone(round);
      reader = createRoundReader(context);
    }
    if (round.requests > MOST_REQUESTS)
      throw new Error(`The round does not end: ${JSON.stringify(round.stack)}`);
  }
  return { ...round, mostWaiting };
}
