import { describe, expect, it } from 'vitest';
import { formatInstant, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { NOTHING_READ } from '../../../shared/reporting/read-state.ts';
import {
  beginWholeWalk,
  describeRead,
  noteOvertaken,
  noteReadUpTo,
  noteReconciled,
  noteWalked,
  reportRead,
} from '../../../shared/reporting/source-read.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aState } from '../../contract/sample-states.ts';

const PACE = { settleMs: 60_000, requestTimeoutMs: 10_000 };
const SETTLED = 1_763_633_400_000_000;
const HELD = aState('acme').guarding;
const FREE = { ...HELD, holds: [] };

/** A source that is well, settled up to an instant. */
function aSource(settledThrough: Instant = SETTLED, changes: Partial<SourceState> = {}): SourceState {
  const state = aState('acme');
  const baseline = { ...state.baseline, status: 'completed' as const };
  const well = { baseline, guarding: FREE, setAside: [], feedReports: [], read: NOTHING_READ };
  return { ...state, ...well, settledThrough, ...changes };
}

const readUpTo = (state: SourceState) => describeRead(noteReadUpTo(state)).read_up_to;

describe('read_up_to', () => {
  it('is the settled instant of polls', () => {
    expect(readUpTo(aSource())).toBe(formatInstant(SETTLED));
  });

  // Seed 606250: a change within the second of the last bound came after a report that lay beyond it.
  it('has the digits of the stamps, with which polls ask', () => {
    const { stamps } = aState('acme');
    const source = aSource(SETTLED + 830_286, { stamps: { ...stamps, precision: 0 } });

    expect(readUpTo(source)).toBe(formatInstant(SETTLED));
  });

  it('is unknown until the baseline is completed', () => {
    const { baseline } = aState('acme');

    expect(readUpTo(aSource(SETTLED, { baseline }))).toBeNull();
  });

  it('stands still while anything is held, and after a release until nothing is left of it', () => {
    const before = noteReadUpTo(aSource());
    const released = { ...HELD, holds: HELD.holds.map((hold) => ({ ...hold, releasedAt: SETTLED })) };
    const later = (guarding: SourceState['guarding']) => ({
      ...before,
      settledThrough: SETTLED + MINUTE,
      guarding,
    });

    expect(readUpTo(later(HELD))).toBe(formatInstant(SETTLED));
    expect(readUpTo(later(released))).toBe(formatInstant(SETTLED));
    expect(readUpTo(later(FREE))).toBe(formatInstant(SETTLED + MINUTE));
  });

  it('reports how much is held and set aside', () => {
    const { setAside } = aState('acme');

    expect(describeRead(aSource(SETTLED, { guarding: HELD, setAside }))).toMatchObject({
      held: 1,
      set_aside: 1,
    });
  });
});

describe('reconciled_through', () => {
  const through = (state: SourceState) => describeRead(state).reconciled_through;
  const allowance = (2 * PACE.settleMs + PACE.requestTimeoutMs) * MILLISECOND;

  it('lies before the first request of the walk by as much as a read, and the one before it, may be old', () => {
    const begun = noteWalked(noteWalked(aSource(), SETTLED + MINUTE), SETTLED);

    expect(through(noteReconciled(noteWalked(begun, SETTLED + MINUTE), PACE))).toBe(
      formatInstant(SETTLED - allowance),
    );
  });

  it('stays where it was if something is held or another process saved a group first', () => {
    const walked = noteReconciled(noteWalked(aSource(), SETTLED), PACE);
    const later = SETTLED + MINUTE;

    const again = noteWalked(beginWholeWalk(noteOvertaken(walked)), later);

    expect(through(noteReconciled({ ...again, guarding: HELD }, PACE))).toBe(through(walked));
    expect(through(noteReconciled(noteOvertaken(again), PACE))).toBe(through(walked));
    expect(through(noteReconciled(again, PACE))).toBe(formatInstant(later - allowance));
  });

  it('never moves back, even after a start by a wrong clock', () => {
    const walked = noteReconciled(noteWalked(aSource(), SETTLED), PACE);

    const again = noteWalked(beginWholeWalk(walked), SETTLED - MINUTE);

    expect(through(noteReconciled(again, PACE))).toBe(through(walked));
  });
});

describe('the report of what is read', () => {
  const at = (slot: Instant, state = aSource()) =>
    reportRead({ ...state, lastSlot: slot / MILLISECOND }, slot + SECOND);

  const reportOf = (state: SourceState) => state.read.report?.object.read_up_to;

  it('is made once in each minute of the slots', () => {
    const first = at(MINUTE * 100, noteReadUpTo(aSource()));
    const moved = noteReadUpTo({ ...first, settledThrough: SETTLED + MINUTE });
    const again = at(MINUTE * 100 + 50 * SECOND, moved);
    const next = at(MINUTE * 101, again);

    expect([first, again, next].map(reportOf)).toEqual([
      formatInstant(SETTLED),
      formatInstant(SETTLED),
      formatInstant(SETTLED + MINUTE),
    ]);
  });

  it('is numbered by its minute, so that no number is used again after a release that does not know the last', () => {
    const first = at(MINUTE * 100);

    expect(first.read.sequence).toBe(100);
    expect(at(MINUTE * 101, { ...first, read: NOTHING_READ }).read.sequence).toBe(101);
  });

  it('continues with the next number after a slot of a clock that was ahead', () => {
    const ahead = at(MINUTE * 100_000);

    expect(at(MINUTE * 100, ahead).read).toMatchObject({ sequence: 100_001, reportedAt: MINUTE * 100 });
  });
});
