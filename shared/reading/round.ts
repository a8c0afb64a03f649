// One pass of a lane over its range: a stack of ranges that are still to be read, the next one last. It survives ticks
// with the source's state; nothing else is remembered of it.
import * as z from 'zod';
import { instant, type Stored } from '../source/stored-object.ts';
import { type Range, range } from './range.ts';

export const round = z.object({
  startedAt: instant,
  /** The earliest moment that one of its answers stands for. */
  asOf: instant,
  /** Whether a walk reads all groups, older ones as well. */
  isWhole: z.boolean().optional(),
  stack: z.array(range),
  requests: z.int(),
  /** Rows that it compared; distinct ones within a tick. */
  groups: z.int(),
  /** Cuts on failure since it last found a failing row. */
  cuts: z.int(),
  /** Known groups that complete parts of a walk lacked. */
  missing: z.int(),
});

export type Round = Stored<typeof round>;

export function beginRound(startedAt: number, stack: readonly Range[]): Round {
  return { startedAt, asOf: startedAt, stack, requests: 0, groups: 0, cuts: 0, missing: 0 };
}

/** Replaces a range by its parts, given in the order of reading; by none if it was read. */
export function replaceRange(round: Round, done: Range, parts: readonly Range[] = []): Round {
  const stack = round.stack.flatMap((each) => (each === done ? parts.toReversed() : [each]));
  return { ...round, stack };
}

/** A failed range is read last; before the rest of a walk once many ranges wait. */
export function putBack(round: Round, failed: Range, next: Range): Round {
  const others = round.stack.filter((each) => each !== failed);
  const isCrowded = others.length >= CROWDED && others[0]?.isRest === true;
  return { ...round, stack: isCrowded ? others.toSpliced(1, 0, next) : [next, ...others] };
}

/** With so many ranges waiting, a failed one comes before the rest of a walk, which would add more. */
const CROWDED = 24;
