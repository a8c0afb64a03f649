// Records the rows of a page: each group is compared with what is known of it (compare-page.ts), guarded
// (guarding/guards.ts) and saved with its events (save-readings.ts), or set aside, before anything counts as read (R7).
// Only a row's projection outlives this, and its customer if settings ask for it. Pages are recorded one after the other.
import { keptFields } from '../comparing/known-fields.ts';
import { idOf, type Reading } from '../comparing/snapshot.ts';
import { type ComparedReading, differingOf, isOlder, type Unchanged } from '../guarding/compared-reading.ts';
import { createGuards } from '../guarding/guards.ts';
import { type Instant, SECOND } from '../instant.ts';
import type { KnownGroup } from '../ports.ts';
import { observe } from '../position/position.ts';
import type { Page } from '../reading/range.ts';
import { NOTHING_RECORDED, type RecordCounts } from '../reporting/tick-report.ts';
import { promisedRhythm } from '../source/rhythms.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import { isWalk, type LaneName, type SourceState } from '../source/source-state.ts';
import { createComparison } from './compare-page.ts';
import { learnFromPage } from './learn-from-page.ts';
import { noteShown } from './look-up-queue.ts';
import { checkPolls, passedByPolls } from './polls-check.ts';
import { readingsOf, unreadableOf } from './readings-of-page.ts';
import { createSaveReadings } from './save-readings.ts';
import { noteSetAside, takeBack } from './set-aside.ts';

export interface Recorder {
  /**
   * @param known the groups that a walk expects in this range, with their digests
   * @returns all groups that the page shows, also those that can't be read
   */
  record(page: Page, lane: LaneName, known?: ReadonlyMap<number, KnownGroup>): Promise<ReadonlySet<number>>;
  readonly counts: Readonly<RecordCounts>;
  /** The groups that were saved for the first time: the index may lack them for a while. */
  readonly firstSeen: ReadonlySet<number>;
}

/** @param onKnown called with the time of a request whose answer shows a known group */
export function createRecorder(
  session: SourceSession,
  cell: SourceCell,
  onKnown: (sentAt: Instant) => void,
): Recorder {
  const { settings, clock } = session;
  const { customerData } = settings;
  const rhythm = promisedRhythm('recent', settings);
  const counts: RecordCounts = { ...NOTHING_RECORDED };
  const firstSeen = new Set<number>();
  const comparison = createComparison(session, cell);
  const admit = createGuards(session, cell, comparison.again);
  const save = createSaveReadings(session, cell, counts, firstSeen);
  let last: Promise<unknown> = Promise.resolve();

  async function record(
    page: Page,
    lane: LaneName,
    known: ReadonlyMap<number, KnownGroup> | undefined,
  ): Promise<ReadonlySet<number>> {
    await learn(page, lane);
    const kept = keptFields(cell.state, page.sentAt);
    const readings = readingsOf(page, { kept, through: throughOf(lane, cell.state), customerData });
    const compared = await comparison.compareAll(readings, lane, isWalk(lane) ? known : undefined);
    const differing = differingOf(compared);
    if (compared.some(isKnown)) onKnown(page.sentAt);
    const admitted = await admit(compared, lane);
    const passed = isWalk(lane) ? passedByPolls(differing, cell.state) : [];
    await save(admitted, lane);
    const older = new Set(differing.filter(isOlder).map(({ reading }) => idOf(reading)));
    const ids = readings.map(idOf);
    const unreadable = unreadableOf(page);
    const shown = new Set([...ids, ...unreadable.flatMap(({ id }) => id ?? [])]);
    const now = clock.now();
    const at = page.receivedAt;
    const stamps = readings.map(({ updatedAt }) => updatedAt);
    const unchanged = compared.flatMap((each) => (each.compared === 'unchanged' ? idOf(each.reading) : []));
    cell.update((before) => {
      const state = takeBack(before, new Set(unchanged), page.sentAt);
      const noted = unreadable.reduce(
        (next, { id: groupId, ...row }) => noteSetAside(next, { groupId, ...row }, now),
        { ...state, position: observe(state.position, stamps, at) },
      );
      const withLookUps = noteShown(noted, { shown, known: new Set(ids.filter((id) => !older.has(id))), at });
      return checkPolls(withLookUps, passed, lane, rhythm, now);
    });
    counts.groups += page.rows.length;
    counts.unreadable += unreadable.length;
    return shown;
  }

  /**
   * Saves the time of a new field before any snapshot with that field is saved: learned again after a crash, that time
   * would be later, and the snapshot's own changes would be filled in instead of published.
   */
  async function learn(page: Page, lane: LaneName): Promise<void> {
    const before = cell.state.fieldsSince;
    cell.update((state) => learnFromPage(state, page, lane, clock.now()));
    if (cell.state.fieldsSince !== before && cell.state.baselineAt !== undefined) await cell.save();
  }

  return {
    counts,
    firstSeen,
    record(page, lane, known) {
      const result = last.then(() => record(page, lane, known));
      last = result.catch(() => undefined);
      return result;
    },
  };
}

function throughOf(lane: LaneName, { baselineAt }: SourceState): Reading['through'] {
  if (lane === 'fresh' || lane === 'late') return 'poll';
  return lane === 'recent' && baselineAt === undefined ? 'baseline' : 'reconciliation';
}

/** Another store may have a group of that id, but hardly one created in the same second. */
function isKnown(each: ComparedReading | Unchanged): boolean {
  if (each.compared === 'unchanged') return true;
  const { snapshot, reading } = each;
  return snapshot !== undefined && Math.abs(snapshot.createdAt - reading.createdAt) <= SECOND;
}
