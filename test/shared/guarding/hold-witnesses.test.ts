// Whether a hold stays after a walk that found few changes: its witnesses show whether the mistake stands.
import { describe, expect, it } from 'vitest';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import { sampleChanges } from '../../../shared/guarding/hold-samples.ts';
import { askWitness } from '../../../shared/guarding/hold-witnesses.ts';
import {
  beginCycleOfHolds,
  endCycleOfHolds,
  holdBack,
  standingHolds,
} from '../../../shared/guarding/holds.ts';
import type { ComparedReading } from '../../../shared/guarding/reading-guard.ts';
import { SECOND } from '../../../shared/instant.ts';
import { aState } from '../../contract/sample-states.ts';
import { idsFrom } from '../reading/some-rows.ts';
import { compared, NOW } from './guarded-pages.ts';

const WELL = aState('acme', 1, { guarding: NO_GUARDING });
const GUARD = { guard: 'changed_without_stamps', tier: 'all' } as const;
const HELD = idsFrom(1, 40).map((groupId) => compared(groupId, true));
const held = () => holdBack(WELL, { ...GUARD, suspects: 40, samples: sampleChanges(HELD) }, NOW);

/** A walk that reads all groups and finds these changes: few, so that only the witnesses keep the hold. */
function walk(state: typeof WELL, read: readonly ComparedReading[]) {
  const begun = beginCycleOfHolds(state, 'all', true);
  const holds = begun.guarding.holds.map((hold) => read.reduce(askWitness, hold));
  const asked = { ...begun, guarding: { ...begun.guarding, holds } };
  const waiting = read.filter(({ compared: { verdict }, reading, snapshot }) => {
    return verdict === 'differs' && reading.updatedAt === snapshot?.updatedAt;
  });
  const found = { ...GUARD, suspects: waiting.length, isOverThreshold: false };
  const met =
    waiting.length === 0 ? asked : holdBack(asked, { ...found, samples: sampleChanges(waiting) }, NOW);
  return endCycleOfHolds(met, 'all');
}

const witnesses = (state: typeof WELL) =>
  standingHolds(beginCycleOfHolds(state, 'all', true)).flatMap((hold) =>
    hold.witnesses.map(({ groupId }) => groupId),
  );

/** Readings of the witnesses' groups, the first `count` of them one way, the others another way. */
function mixed(
  count: number,
  first: (groupId: number) => ComparedReading,
  rest: (groupId: number) => ComparedReading,
) {
  return witnesses(held()).map((groupId, at) => (at < count ? first(groupId) : rest(groupId)));
}

const stands = (groupId: number) => compared(groupId, true);
const isOver = (groupId: number) => compared(groupId, false);
const trulyChanged = (groupId: number) => compared(groupId, true, { shown: 'UPS' });
const stamped = { publishedAt: NOW - SECOND };
const stampedDuringMistake = (groupId: number) =>
  compared(groupId, false, { ...stamped, published: 'OTHER' });
const stampedOtherwise = (groupId: number) => compared(groupId, false, { ...stamped, published: 'UPS' });
const changedElsewhere = (groupId: number) => compared(groupId, true, { field: 'tracking_number' });
const correctedAfterStamp = (groupId: number) =>
  compared(groupId, true, { ...stamped, published: 'OTHER', shown: 'DHL' });

describe('a hold of which few changes are left', () => {
  it.each([
    ['stays if most witnesses show the held value', mixed(6, stands, isOver), 1],
    ['ends if half of them show it', mixed(5, stands, isOver), 0],
    ['ends if most have another value under the old stamp', mixed(6, trulyChanged, stands), 0],
    [
      'stays if the held values were published with newer stamps and changes of the same field are held',
      [...mixed(10, stampedDuringMistake, isOver), stands(99)],
      1,
    ],
    [
      'ends if the held values were published with newer stamps and only changes of another field are held',
      [...mixed(10, stampedDuringMistake, isOver), changedElsewhere(99)],
      0,
    ],
    [
      'ends if most held values were published with newer stamps, and the other witnesses show that it is over',
      [...mixed(6, stampedDuringMistake, isOver), stands(99)],
      0,
    ],
    [
      'stays if nearly all held values were published with newer stamps: one witness may have truly changed',
      [...mixed(9, stampedDuringMistake, isOver), stands(99)],
      1,
    ],
    ['ends if nothing is held any more', mixed(10, stampedDuringMistake, isOver), 0],
    ['ends if such a value is corrected', mixed(6, correctedAfterStamp, stands), 0],
    ['does not count another value under a newer stamp', mixed(8, stampedOtherwise, stands), 1],
  ])('%s', (_name, read, left) => {
    const after = walk(held(), read);

    expect(witnesses(held())).toHaveLength(10);
    expect(standingHolds(after)).toHaveLength(left);
  });

  it('has a new witness for each one that did not decide', () => {
    const undecided = witnesses(held()).slice(0, 4);
    const others = idsFrom(1, 40).filter((groupId) => !undecided.includes(groupId));

    const after = walk(held(), [...undecided.map(stampedOtherwise), ...others.map(stands)]);

    expect(witnesses(after)).toHaveLength(10);
    expect(witnesses(after).filter((groupId) => undecided.includes(groupId))).toEqual([]);
    expect(witnesses(after)).toEqual(
      expect.arrayContaining(witnesses(held()).filter((groupId) => !undecided.includes(groupId))),
    );
  });

  it('has no witness of another field while changes of the same field are held: others may be true', () => {
    const undecided = witnesses(held());
    const found = [stands(91), stands(92), changedElsewhere(93), changedElsewhere(94), changedElsewhere(95)];

    const after = walk(held(), [...undecided.map(stampedOtherwise), ...found]);
    const later = walk(after, [isOver(91), isOver(92), ...found.slice(2)]);

    expect(witnesses(after)).toEqual([91, 92]);
    expect(standingHolds(later)).toEqual([]);
  });

  // The witnesses all changed between two walks, so nothing shows whether the rest is the mistake.
  it('stays if no witness decides and changes of the same field are left, and ends once none is', () => {
    const undecided = witnesses(held()).map(stampedOtherwise);

    const withRest = walk(held(), [...undecided, compared(99, true)]);
    const without = walk(held(), undecided);
    const later = walk(withRest, [isOver(99)]);

    expect([withRest, without, later].map((state) => standingHolds(state).length)).toEqual([1, 0, 0]);
  });

  it('does not take an array that an answer left out for the end of the mistake', () => {
    const leftOut = witnesses(held()).map((groupId) => {
      const { reading, ...others } = isOver(groupId);
      return {
        ...others,
        reading: { ...reading, projection: { ...reading.projection, shipments: undefined } },
      };
    });

    const after = walk(held(), [...leftOut, compared(99, true)]);

    expect(standingHolds(after)).toHaveLength(1);
  });

  it('that an earlier release has stored, without the values of its samples, stays until a walk finds nothing', () => {
    const { guarding } = held();
    const holds = guarding.holds.map((hold) => ({
      ...hold,
      samples: hold.samples.map(({ value: _unknown, ...sample }) => sample),
    }));
    const stored = { ...WELL, guarding: { ...guarding, holds } };

    const found = walk(stored, [compared(99, true)]);

    expect(standingHolds(found)).toHaveLength(1);
    expect(standingHolds(walk(stored, []))).toEqual([]);
  });
});
