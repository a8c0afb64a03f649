import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { NARROWEST_RANGE } from '../../../shared/limits.ts';
import type { Tier } from '../../../shared/source/cycle-state.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { advanceCycle } from '../../../shared/tick/reconciliation-cycle.ts';
import { createUnorderedRun, NOW, settledState } from './unordered-run.ts';

/** The known form of the list after a walk or a step of a walk. */
function shapeAfter(
  tier: Tier,
  { hasLostOrder = true, isDone = true, fullPage = undefined as number | undefined, state = {} } = {},
) {
  const { run, list } = createUnorderedRun({ state: settledState(30, state as Partial<SourceState>) });
  Object.assign(list, { hasLostOrder, fullPage });
  const position = { coveredThrough: NOW, rangeWidth: NARROWEST_RANGE };
  advanceCycle(run, tier, { position, isDone, covered: undefined, sent: 3, missed: 'done' });
  return list;
}

it.each([
  { leftNewer: false, settled: 5 * MINUTE + 17 * SECOND },
  { leftNewer: true, settled: HOUR },
])('a whole walk settles its time unless a newer state was left: $leftNewer', ({ leftNewer, settled }) => {
  const { read } = settledState(30);
  const { run } = createUnorderedRun({ state: settledState(30, { read: { ...read, leftNewer } }) });
  const position = { coveredThrough: NOW, rangeWidth: NARROWEST_RANGE };
  const covered = { from: undefined, to: undefined };

  advanceCycle(run, 'all', { position, isDone: true, covered, sent: 3, missed: 'done' });

  expect(NOW - run.state.settledThrough).toBe(settled);
});

// Before, a walk that a poll had asked for never showed that the store had grown: real removals were held.
it.each([
  ['shows that the store has grown, also if a poll asked for it', { isAsked: true }, 4_000],
  [
    'shows it, unless a release moved it back: then it counts some groups twice',
    { isMovedBack: true },
    1_000,
  ],
])('a whole walk %s', (_, changes, expected) => {
  const { reconciliation } = settledState(30);
  const all = { ...reconciliation.all, isUnderWay: true, known: 4_000, lastKnown: 1_000, ...changes };
  const { run } = createUnorderedRun({
    state: settledState(30, { reconciliation: { ...reconciliation, all } }),
  });
  const position = { coveredThrough: NOW, rangeWidth: NARROWEST_RANGE };

  advanceCycle(run, 'all', { position, isDone: true, covered: undefined, sent: 3, missed: 'done' });

  expect(run.state.reconciliation.all.lastKnown).toBe(expected);
});

describe('a list', () => {
  it('is read in whole ranges again after a walk that saw it keep its order', () => {
    expect(shapeAfter('all', { hasLostOrder: false })).toMatchObject({ isUnordered: false });
    expect(shapeAfter('all')).toMatchObject({ isUnordered: true, hasLostOrder: false });
  });

  it('counts as unordered until the end of its walk, also after look-ups of open groups', () => {
    expect(shapeAfter('all', { hasLostOrder: false, isDone: false })).toMatchObject({ isUnordered: true });
    expect(shapeAfter('open', { hasLostOrder: false })).toMatchObject({ isUnordered: true });
    expect(shapeAfter('open')).toMatchObject({ hasLostOrder: true });
  });

  it('has cut pages if its longest page shows fewer rows than there are groups and than fill a piece', () => {
    const { baseline } = settledState(30);
    const fullPageOf = (longestPage: number, groups: number, pageLimit = 200, fullPage?: number) =>
      shapeAfter('all', { fullPage, state: { longestPage, pageLimit, baseline: { ...baseline, groups } } })
        .fullPage;

    expect(fullPageOf(20, 60)).toBe(20);
    expect(fullPageOf(60, 60)).toBeUndefined();
    expect(fullPageOf(180, 3_000)).toBeUndefined();
    expect(fullPageOf(0, 60)).toBeUndefined();
    expect(fullPageOf(20, 60, 20)).toBeUndefined();
    expect(fullPageOf(20, 60, 200, 50)).toBe(50);
  });
});
