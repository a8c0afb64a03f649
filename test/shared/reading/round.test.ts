import { describe, expect, it } from 'vitest';
import type { Range } from '../../../shared/reading/range.ts';
import { beginRound, putBack, replaceRange, round as schema } from '../../../shared/reading/round.ts';

const range = (from: number): Range => ({ axis: 'created', from, to: from + 1 });
const [A, B, C] = [range(1), range(2), range(3)];
const REST: Range = { axis: 'created', from: 0, isRest: true };

describe('a round', () => {
  it('reads the last range of its stack next: the parts of a range in their order', () => {
    const { stack } = replaceRange(beginRound(0, [A, B]), B, [range(8), range(9)]);

    expect(stack).toEqual([A, range(9), range(8)]);
  });

  it('loses a range that was read', () => {
    expect(replaceRange(beginRound(0, [A, B]), A).stack).toEqual([B]);
  });

  it('reads a range that failed last', () => {
    const failed = { ...C, failures: 1 };

    expect(putBack(beginRound(0, [REST, A, B, C]), C, failed).stack).toEqual([failed, REST, A, B]);
  });

  it('reads it before the rest of a walk once 24 ranges wait', () => {
    const others = Array.from({ length: 23 }, (_, index) => range(100 + index));
    const failed = { ...C, failures: 1 };

    const { stack } = putBack(beginRound(0, [REST, ...others, C]), C, failed);

    expect(stack).toEqual([REST, failed, ...others]);
  });

  it('reads it last with 24 ranges waiting if none of them is a rest, and with fewer', () => {
    const others = Array.from({ length: 24 }, (_, index) => range(100 + index));

    expect(putBack(beginRound(0, [...others, C]), C, C).stack).toEqual([C, ...others]);
    expect(putBack(beginRound(0, [REST, ...others.slice(2), C]), C, C).stack[0]).toBe(C);
    expect(putBack(beginRound(0, [C]), C, C).stack).toEqual([C]);
  });

  it('is the same in the next tick', () => {
    const stored = { ...beginRound(1, [A, REST]), isWhole: true, asOf: 2 };

    expect(schema.parse(stored)).toEqual(stored);
  });
});
