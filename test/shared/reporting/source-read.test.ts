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

/** A healthy source, settled up to an instant. */
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

  // Seed 606250: a change within the second of the last bound was published after a report beyond that change.
  it('has as many digits as the stamps, like the bounds of polls', () => {
    const { stamps } = aState('acme');
    const source = aSource(SETTLED + 830_286, { stamps: { ...stamps, precision: 0 } });

    expect(readUpTo(source)).toBe(formatInstant(SETTLED));
  });

  it('is unknown until the baseline is completed', () => {
    const { baseline } = aState('acme');

    expect(readUpTo(aSource(SETTLED, { baseline }))).toBeNull();
  });

  it('does not move while anything is held, nor after a release until the hold is over', () => {
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

  it('is reported with the numbers of held and set aside groups', () => {
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

  it('is before the first request of the walk, by the possible age of that read and of the read before it', () => {
    const begun = noteWalked(noteWalked(aSource(), SETTLED + MINUTE), SETTLED);

    expect(through(noteReconciled(noteWalked(begun, SETTLED + MINUTE), PACE))).toBe(
      formatInstant(SETTLED - allowance),
    );
  });

  it('does not move if something is held or another process saved a group first', () => {
    const walked = noteReconciled(noteWalked(aSource(), SETTLED), PACE);
    const later = SETTLED + MINUTE;

    const again = noteWalked(beginWholeWalk(noteOvertaken(walked)), later);

    expect(through(noteReconciled({ ...again, guarding: HELD }, PACE))).toBe(through(walked));
    expect(through(noteReconciled(noteOvertaken(again), PACE))).toBe(through(walked));
    expect(through(noteReconciled(again, PACE))).toBe(formatInstant(later - allowance));
  });

  it('never moves back, even if a wrong clock set the start of the walk', () => {
    const walked = noteReconciled(noteWalked(aSource(), SETTLED), PACE);

    const again = noteWalked(beginWholeWalk(walked), SETTLED - MINUTE);

    expect(through(noteReconciled(again, PACE))).toBe(through(walked));
  });
});

describe('feed.source_read', () => {
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

  it('is numbered by its minute, so that a release without the last number uses no number again', () => {
    const first = at(MINUTE * 100);

    expect(first.read.sequence).toBe(100);
    expect(at(MINUTE * 101, { ...first, read: NOTHING_READ }).read.sequence).toBe(101);
  });

  it('continues with the next number after a slot of a clock that was ahead', () => {
    const ahead = at(MINUTE * 100_000);

    expect(at(MINUTE * 100, ahead).read).toMatchObject({ sequence: 100_001, reportedAt: MINUTE * 100 });
  });
});
