import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../property-runs.ts';
import { checkEvents } from './check-events.ts';
import { followHistory, type Step } from './follow-history.ts';
import { ARRAY_NAMES, HAPPENINGS, type Happening } from './true-history.ts';

const wait = fc.record({ does: fc.constant('wait' as const), seconds: fc.nat(120) });

const kinds = Object.keys(HAPPENINGS).filter((what) => what !== 'rush') as Happening['what'][];
const happening = fc.record({
  does: fc.constant('happen' as const),
  what: fc.constantFrom(...kinds),
  which: fc.nat(5),
  value: fc.nat(5),
  movesStamp: fc.boolean(),
});
/** A hundred entities at once. */
const rush = happening.map((step) => ({ ...step, what: 'rush' as const }));

const comingAndGoing = fc.constantFrom<Step>({ does: 'vanish' }, { does: 'return' }, { does: 'upgrade' });

const reading = fc.record({
  does: fc.constant('read' as const),
  staleSeconds: fc.oneof(fc.constant(0), fc.nat(59)),
  showing: fc.record({
    leftOut: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray([...ARRAY_NAMES])),
    isReversed: fc.boolean(),
    hasOffsets: fc.boolean(),
    hidesRefundIds: fc.boolean(),
    isSparse: fc.boolean(),
  }),
  dies: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
});

const feed = fc.record({ isSilent: fc.boolean(), keepsUnchanged: fc.boolean() });

function history(...steps: fc.MaybeWeightedArbitrary<Step>[]): fc.Arbitrary<Step[]> {
  return fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 40, size: 'max' });
}

const everyday = history(
  { weight: 1, arbitrary: wait },
  { weight: 3, arbitrary: happening },
  { weight: 3, arbitrary: reading },
);
const anything = history(
  { weight: 4, arbitrary: wait },
  { weight: 8, arbitrary: happening },
  { weight: 1, arbitrary: rush },
  { weight: 2, arbitrary: comingAndGoing },
  { weight: 10, arbitrary: reading },
);

describe('the events of any history and any readings of a group', () => {
  it.each([
    ['everyday changes', everyday, 200],
    ['anything that may happen', anything, 150],
  ])('are complete, unbroken, in order and true: %s', (_, histories, numRuns) => {
    fc.assert(
      fc.property(histories, feed, (steps, of) => {
        checkEvents(followHistory(steps, of));
      }),
      { numRuns: runs(numRuns) },
    );
  });

  it('are byte for byte the same each time', () => {
    fc.assert(
      fc.property(anything, feed, (steps, of) => {
        const once = followHistory(steps, of).events;
        const again = followHistory(structuredClone(steps), of).events;

        expect(JSON.stringify(again)).toBe(JSON.stringify(once));
      }),
      { numRuns: runs(30) },
    );
  });
});
