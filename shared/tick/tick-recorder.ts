// The recorder of one tick's pages, with what the tick knows of the source.
import { createUnknowable } from '../comparing/known-fields.ts';
import type { Reading } from '../comparing/snapshot.ts';
import { guardReadings } from '../guarding/guards-of-run.ts';
import type { ReadingGuard } from '../guarding/reading-guard.ts';
import { MILLISECOND } from '../instant.ts';
import { noteLateness } from '../reading/news.ts';
import { learnLead } from '../reading/stamps-clock.ts';
import { createRecorder, type Recorder } from '../recording/record-pages.ts';
import { noteLeftNewer, noteOvertaken } from '../reporting/source-read.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { PageLearner } from './learn-from-pages.ts';
import { noteChangeInDoubt } from './polls-in-doubt.ts';
import { keepSetAside, noteSetAside, takeBack } from './set-aside.ts';
import { noteFoundByPoll, notePassedByPolls } from './stamps-fall-back.ts';

export interface RecordedTick {
  readonly session: SourceSession;
  readonly cell: SourceCell;
  readonly learner: Pick<PageLearner, 'unreadSince'>;
}

export interface RecorderChoice {
  /** @default the one for readings that come this way */
  readonly guard?: ReadingGuard | undefined;
  /** Whether groups that the process remembers as unchanged are not compared. @default only in polls */
  readonly trustsMemory?: boolean | undefined;
}

export function createTickRecorder(
  { session, cell, learner }: RecordedTick,
  through: Reading['through'],
  { guard = guardReadings(session, cell, through), trustsMemory = through === 'poll' }: RecorderChoice = {},
): Recorder {
  const { settings, store, memory, serviceClock } = session;
  const { startedAt, generation, baseline } = cell.state;
  const announcedFrom = startedAt - settings.lookbackMs * MILLISECOND;
  const announcesAll = baseline.mode === 'emit' || baseline.status === 'completed';
  let hasFilledIn = false;
  return createRecorder({
    source: settings.name,
    generation,
    store,
    through,
    memory,
    trustsMemory,
    settle: settings.settleMs * MILLISECOND,
    announces: (reading) => announcesAll || reading.updatedAt >= announcedFrom,
    // If another process has completed the baseline, or a walk that read a new field everywhere, a reading that this
    // one would save without an event may show a change.
    async beforeSaves() {
      if (!announcesAll || hasFilledIn) await cell.confirm();
    },
    customerData: settings.customerData,
    guard,
    unknowable(snapshot, reading) {
      const unreadSince = snapshot && learner.unreadSince(snapshot.groupId);
      const isUnknowable = createUnknowable(cell.state, snapshot, reading, unreadSince);
      return (kind, field, absentSince) => {
        const fillsIn = isUnknowable(kind, field, absentSince);
        hasFilledIn ||= fillsIn;
        return fillsIn;
      };
    },
    takeBack: (groupIds) => cell.update((state) => takeBack(state, groupIds)),
    keepSetAside(groupIds) {
      cell.update((state) => keepSetAside(state, groupIds, serviceClock.now().atMost));
    },
    setAside(row, absentSince) {
      const unreadSince = (row.id === undefined ? undefined : learner.unreadSince(row.id)) ?? absentSince;
      cell.update((state) => noteSetAside(state, row, serviceClock.now().atMost, unreadSince));
    },
    noteOvertaken: () => cell.update(noteOvertaken),
    noteLeftNewer: () => cell.update(noteLeftNewer),
    noteFresh({ groupId, updatedAt, receivedAt, isFirstSight }) {
      // Until all groups are known, one seen for the first time need not have changed just now: in a store where
      // little happens, the first poll shows only groups that are stamped ahead.
      const isKnownToChange = !isFirstSight || cell.state.baseline.status === 'completed';
      if (!isKnownToChange) return;
      cell.update((state) => ({ ...state, stamps: learnLead(state.stamps, groupId, updatedAt, receivedAt) }));
      const found = { groupId, updatedAt, receivedAt };
      const isPoll = through === 'poll';
      cell.update((state) => noteChangeInDoubt(state, { groupId, updatedAt }, isPoll ? 'poll' : 'walk'));
      const lookback = settings.lookbackMs * MILLISECOND;
      if (isPoll) {
        noteLateness(session.news, updatedAt);
        cell.update((state) => noteFoundByPoll(state, found, lookback));
      } else {
        cell.update((state) => notePassedByPolls(state, found, lookback));
      }
    },
  });
}
