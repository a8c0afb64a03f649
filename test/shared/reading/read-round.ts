// Reads a round of ranges with nothing around it.
import type { TickRun } from '../../../shared/lanes/tick-run.ts';
import type { Range } from '../../../shared/reading/range.ts';
import type { Round } from '../../../shared/reading/round.ts';
import { createRoundReader } from '../../../shared/reading/round-reader.ts';
import { aRound, type RoundOptions } from './a-round.ts';

interface ReadOptions extends RoundOptions {
  /** After so many steps the round goes on as in another tick. @default never */
  readonly requestsOfATick?: number;
}

/** Reads a round of a walk by creation. @returns the ranges whose groups it checked */
export async function readChecked(run: TickRun): Promise<Range[]> {
  const checked: Range[] = [];
  await readRound(run, [{ axis: 'created' }], {
    lane: 'recent',
    async onComplete({ range }) {
      checked.push(range);
    },
  });
  return checked;
}

const MOST_REQUESTS = 2_000;

/** @returns the round at its end. @throws RoundFailed, and an Error if it does not end */
export async function readRound(
  run: TickRun,
  stack: readonly Range[],
  { requestsOfATick = Number.POSITIVE_INFINITY, ...options }: ReadOptions = {},
): Promise<Round & { readonly mostWaiting: number }> {
  const context = aRound(run, stack, options);
  let reader = createRoundReader(context);
  let mostWaiting = 0;
  for (let steps = 1; context.round.stack.length > 0; steps += 1) {
    mostWaiting = Math.max(mostWaiting, context.round.stack.length);
    await reader.readNext();
    if (steps % requestsOfATick === 0) {
      context.update((round) => structuredClone(round));
      reader = createRoundReader(context);
    }
    if (context.round.requests > MOST_REQUESTS)
      throw new Error(`The round does not end: ${JSON.stringify(context.round.stack)}`);
  }
  return { ...context.round, mostWaiting };
}

/** @returns the round after one step, whatever is left of it */
export async function readOnce(
  run: TickRun,
  stack: readonly Range[],
  options?: RoundOptions,
): Promise<Round> {
  const context = aRound(run, stack, options);
  await createRoundReader(context).readNext();
  return context.round;
}

/** The run with other answers. */
export function answering(run: TickRun, ask: TickRun['ask']): TickRun {
  return Object.create(run, { ask: { value: ask } });
}
