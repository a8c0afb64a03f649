import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { cutAt, planCuts } from '../../../shared/reading/plan-parts.ts';
import type { Range } from '../../../shared/reading/range.ts';

const minutes = (count: number) => Array.from({ length: count }, (_, index) => index * MINUTE);

describe('the parts of a poll', () => {
  it('hold about as many of the groups that the last one showed, at most 24', () => {
    expect(planCuts(minutes(90).toReversed(), 30)).toEqual([30 * MINUTE, 60 * MINUTE]);
    expect(planCuts(minutes(91), 30)).toHaveLength(3);
    expect(planCuts(minutes(3_000), 30)).toHaveLength(23);
  });

  it('are one while few groups change', () => {
    expect(planCuts(minutes(30), 30)).toEqual([]);
    expect(cutAt({ axis: 'updated', from: 5 }, [])).toEqual([{ axis: 'updated', from: 5 }]);
  });

  it('are no shorter than four seconds', () => {
    expect(
      planCuts(
        [0, 1, 2, 3, 4].map((at) => at * 4 * SECOND),
        1,
      ),
    ).toHaveLength(4);
    const cuts = planCuts([...minutes(1), 1, 2, 3, 9 * SECOND, 10 * SECOND, 20 * SECOND], 1);

    expect(cuts.slice(1).every((cut, index) => cut - (cuts[index] ?? 0) >= 4 * SECOND)).toBe(true);
  });

  it('are intervals of creation that together are all', () => {
    const range: Range = { axis: 'updated', from: 5, to: 9 };

    expect(cutAt(range, [20, 40])).toEqual([
      { ...range, cross: { from: undefined, to: 20 } },
      { ...range, cross: { from: 20, to: 40 } },
      { ...range, cross: { from: 40, to: undefined } },
    ]);
  });
});
