// Records the rows of a page: each group is compared with its snapshot, and differences are saved with their events, or
// held, or set aside, before anything counts as read (R7). Only a row's projection outlives this, and its customer if
// settings ask for it. Pages are recorded one after the other.
import { ENTITY_ARRAYS } from '../comparing/change-set.ts';
import { type CompareOptions, compareReading } from '../comparing/compare-reading.ts';
import { digestOf } from '../comparing/digest.ts';
import { createUnknowable, keptFields } from '../comparing/known-fields.ts';
import { leavesOut } from '../comparing/make-save.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';
import { isSettled, OLDER_SETTLES, withStamp } from '../comparing/stale-reads.ts';
import { admitBackfill } from '../guarding/backfill.ts';
import { brake, brakeOlder, isJudged, isUnstamped } from '../guarding/brake.ts';
import { type ComparedReading, removedEntities } from '../guarding/compared-reading.ts';
import type { HoldSample } from '../guarding/hold.ts';
import { findHold, holdBack, isHolding } from '../guarding/holds.ts';
import { admitRemovals } from '../guarding/removals.ts';
import { sampleChange, sampleFirstSight } from '../guarding/sample-change.ts';
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';
import { noteLookUp, noteLookUpAgain, noteShown } from '../lanes/look-up-queue.ts';
import { promisedRhythm, timeOfTwoWalks } from '../lanes/rhythms.ts';
import type { RecordCounts } from '../lanes/tick-report.ts';
import type { KnownGroup, Save } from '../ports.ts';
import { observe, walkedAt } from '../position/position.ts';
import type { Page } from '../reading/range.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { LaneName, LookUp, SourceState } from '../source/source-state.ts';
import { isCreatedAfter, isFirstSeenLate, isReadByBaseline } from './first-sight.ts';
import { learnFromPage } from './learn-from-page.ts';
import { checkPolls, passedByPolls } from './polls-check.ts';
import { readingsOf, unreadableOf } from './readings-of-page.ts';
import { type SaveOutcome, saveCompared } from './save-compared.ts';
import { noteSetAside, takeBack } from './set-aside.ts';
import { TooLargeToStoreError } from './store-errors.ts';

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
  const { settings, store, memory, clock } = session;
  const settle = settings.settleMs * MILLISECOND;
  const { customerData } = settings;
  const rhythm = promisedRhythm('recent', settings);
  const source = () => ({ source: settings.name, generation: cell.state.generation });
  const counts: RecordCounts = {
    ...{ groups: 0, firstSeen: 0, events: 0, foundByWalks: 0, left: 0, unreadable: 0 },
  };
  const firstSeen = new Set<number>();
  /** The groups that each hold has kept back, as far as this process knows. */
  const heldBy = new Map<number, Set<number>>();
  let last: Promise<unknown> = Promise.resolve();

  async function record(
    page: Page,
    lane: LaneName,
    known: ReadonlyMap<number, KnownGroup> | undefined,
  ): Promise<ReadonlySet<number>> {
    const isWalk = isWalkLane(lane);
    await learn(page, lane);
    const kept = keptFields(cell.state, page.sentAt);
    const readings = readingsOf(page, { kept, through: throughOf(lane), customerData });
    const unreadable = unreadableOf(page);
    const compared = await compareAll(readings, lane, isWalk ? known : undefined);
    const differing = compared.flatMap((each) => (each === 'unchanged' ? [] : [each]));
    if (compared.some((each) => each === 'unchanged' || isSameGroup(each))) onKnown(page.sentAt);
    const older = differing.filter(isOlder);
    if (older.length > 0) await saveHold((state) => brakeOlder(state, older, clock.now()));
    if (isWalkLane(lane) && isJudged(cell.state, lane, timeOfTwoWalks(cell.state, settings), clock.now()))
      await judge(compared, differing);
    const admitted = admitOld(differing, lane).flatMap((each) => admit(each, lane));
    const passed = isWalk ? passedByPolls(differing, cell.state) : [];
    await saveAll(admitted, lane);
    const now = clock.now();
    for (const { id: groupId, ...row } of unreadable)
      cell.update((state) => noteSetAside(state, { groupId, ...row }, now));
    const shown = new Set([...readings.map(idOf), ...unreadable.flatMap(({ id }) => id ?? [])]);
    const stamps = readings.map(({ updatedAt }) => updatedAt);
    const olderIds = new Set(older.map(({ reading }) => idOf(reading)));
    cell.update((state) =>
      noteShown(
        { ...state, position: observe(state.position, stamps, page.receivedAt) },
        { shown, known: new Set(readings.map(idOf).filter((id) => !olderIds.has(id))), at: page.receivedAt },
      ),
    );
    cell.update((state) => checkPolls(state, passed, lane, rhythm, now));
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

  /**
   * Polls trust the process's memory. A walk trusts only the digests of the index: it finds what another process saved.
   */
  async function compareAll(
    readings: readonly Reading[],
    lane: LaneName,
    known: ReadonlyMap<number, KnownGroup> | undefined,
  ): Promise<(ComparedReading | 'unchanged')[]> {
    const digests = new Map(readings.map((reading) => [idOf(reading), digestOf(reading.projection)]));
    const isSame = (reading: Reading) => {
      const id = idOf(reading);
      const remembered = memory.recall(id);
      const isRemembered = remembered?.digest === digests.get(id);
      if (isRemembered && remembered) memory.remember(id, { ...remembered, sentAt: reading.sentAt });
      return known === undefined ? isRemembered : known.get(id)?.digest === digests.get(id);
    };
    const same = new Set(readings.filter(isSame));
    const others = readings.filter((reading) => !same.has(reading)).map(idOf);
    const snapshots = others.length === 0 ? new Map<number, Snapshot>() : await store.load(source(), others);
    const [{ sentAt } = { sentAt: 0 }] = readings;
    cell.update((state) => takeBack(state, new Set([...same].map(idOf)), sentAt));
    return readings.map((reading) => {
      if (same.has(reading)) return 'unchanged';
      const snapshot = snapshots.get(idOf(reading));
      return compare(snapshot, reading, { acceptsOlder: isProved(snapshot, reading, lane) });
    });
  }

  /** Whether a stamp before the known one has shown for long: in look-ups, or since a mass change that is over. */
  function isProved(snapshot: Snapshot | undefined, reading: Reading, lane: LaneName): boolean {
    if (snapshot === undefined) return false;
    const { phase = 'holding' } = findHold(cell.state, 'mass_change') ?? {};
    const lookedUp = lane === 'look-ups' ? olderSince(idOf(reading)) : undefined;
    const since = phase === 'holding' ? lookedUp : snapshot.receivedAt;
    return (
      since !== undefined && isSettled(reading.sentAt, Math.max(since, snapshot.receivedAt), OLDER_SETTLES)
    );
  }

  function olderSince(id: number): Instant | undefined {
    return cell.state.lookUps.find(({ groupId }) => groupId === id)?.olderSince;
  }

  function compare(
    snapshot: Snapshot | undefined,
    shown: Reading,
    choice: Pick<CompareOptions, 'keepsMissing' | 'adopts' | 'acceptsOlder'>,
  ): ComparedReading {
    const reading = withStamp(shown, snapshot);
    const compared = compareReading(snapshot, reading, { ...optionsFor(snapshot, reading), ...choice });
    return { snapshot, reading, compared };
  }

  function optionsFor(snapshot: Snapshot | undefined, reading: Reading): CompareOptions {
    const { mode, position } = cell.state;
    const { origin = Number.NEGATIVE_INFINITY } = position;
    return {
      ...source(),
      settle,
      lastSeenAt: memory.recall(idOf(reading))?.sentAt,
      emits: mode === 'emit',
      announcesOld: isReadByBaseline(cell.state, reading) ? !isAdopting() : mode === 'emit',
      isOld: ({ createdAt }) => createdAt <= origin,
      isOldEntity: (entity) => !isCreatedAfter(origin, entity),
      unknowable: createUnknowable(
        { ...cell.state, walkedAt: walkedAt(position) },
        snapshot,
        reading,
        settle,
      ),
    };
  }

  /** Adds groups to a hold, which counts each once. */
  function hold(
    kind: 'mass_change' | 'backfill',
    ids: readonly number[],
    samples: readonly HoldSample[],
  ): void {
    const { number = 0 } = findHold(cell.state, kind) ?? {};
    const held = new Set([...(heldBy.get(number) ?? []), ...ids]);
    heldBy.set(number, held);
    cell.update((state) => holdBack(state, { kind, count: held.size, samples }, clock.now()));
  }

  function isAdopting(): boolean {
    return findHold(cell.state, 'backfill')?.phase === 'adopting';
  }

  async function judge(
    compared: readonly (ComparedReading | 'unchanged')[],
    differing: readonly ComparedReading[],
  ): Promise<void> {
    const counted = compared.filter((each) => each === 'unchanged' || isCounted(each));
    const differs = counted.map((each) => each !== 'unchanged' && isUnstamped(each));
    const changes = differing.filter(isUnstamped);
    await saveHold((state) => brake(state, differs, changes, clock.now()));
  }

  /** Saves a hold before anything of the answer that began it. */
  async function saveHold(judged: (state: SourceState) => SourceState): Promise<void> {
    const before = cell.state.lastHold;
    cell.update(judged);
    if (cell.state.lastHold !== before) await cell.save();
  }

  /** Without groups that were created before the feed began, if too many are seen for the first time. */
  function admitOld(differing: readonly ComparedReading[], lane: LaneName): readonly ComparedReading[] {
    const old = differing.filter((each) => isFirstSeenLate(each, cell.state));
    if (old.length === 0) return differing;
    const ids = old.map(({ reading }) => idOf(reading));
    const admission = admitBackfill(cell.state, ids.length, isWalkLane(lane), clock.now());
    cell.update(() => admission.state);
    if (admission.isAdmitted) return differing;
    hold('backfill', ids, ids.map(sampleFirstSight));
    return differing.filter((each) => !old.includes(each));
  }

  async function saveAll(admitted: readonly ComparedReading[], lane: LaneName): Promise<void> {
    const isFilledIn = admitted.some(fillsIn);
    // Another process may have read a new field everywhere: then what this one would fill in is a change.
    if (isFilledIn) await cell.confirm();
    // A save may be done although its answer is lost: then the memory would hide a change back.
    for (const { reading } of admitted) memory.forget(idOf(reading));
    const outcomes = await saveCompared(store, source(), admitted);
    for (const each of admitted) conclude(each, outcomes.get(idOf(each.reading)), lane);
    const [first] = admitted;
    if (first === undefined) return;
    const stored = admitted.map(({ reading }) => idOf(reading)).filter(isStored);
    cell.update((state) => takeBack(state, new Set(stored), first.reading.sentAt));

    function isStored(id: number): boolean {
      return !(outcomes.get(id) instanceof TooLargeToStoreError);
    }
  }

  /** The reading as it may be saved; none if it is held. */
  function admit(each: ComparedReading, lane: LaneName): ComparedReading[] {
    const { snapshot, reading } = each;
    if (isUnstamped(each) || isOlder(each)) {
      const { phase } = findHold(cell.state, 'mass_change') ?? {};
      if (phase === 'holding') {
        hold('mass_change', [idOf(reading)], sampleChange(each));
        memory.forget(idOf(reading));
        return [];
      }
      if (phase === 'adopting' && !isOlder(each))
        return [compare(snapshot, reading, { adopts: true, acceptsOlder: true })];
    }
    const removed = removedEntities(each);
    if (removed === 0) return [each];
    const removals = cell.state.removals + removed;
    const admission = admitRemovals(cell.state, removals, sampleChange(each), clock.now());
    // Polls find the same entities again and again while they are held.
    const isCounted = admission.isAdmitted || isWalkLane(lane);
    cell.update(() => (isCounted ? { ...admission.state, removals } : admission.state));
    return [
      admission.isAdmitted ? each : compare(snapshot, reading, { keepsMissing: true, acceptsOlder: true }),
    ];
  }

  function conclude(each: ComparedReading, outcome: SaveOutcome | undefined, lane: LaneName): void {
    const { snapshot, reading, compared } = each;
    const id = idOf(reading);
    const now = clock.now();
    if (compared.verdict === 'unchanged') remember(snapshot, reading);
    else if (compared.verdict === 'left' || compared.verdict === 'older') putOff(each, lane);
    else if (outcome instanceof TooLargeToStoreError) {
      const row = { groupId: id, reason: outcome.message, digest: '' };
      cell.update((state) => noteSetAside(state, row, now));
      memory.forget(id);
    } else if (outcome === 'saved') noteSaved(snapshot, reading, compared.save, lane);
    else leave({ groupId: id, dueAt: now }, lane);
  }

  function noteSaved(
    before: Snapshot | undefined,
    reading: Reading,
    { snapshot, events }: Save,
    lane: LaneName,
  ) {
    if (before === undefined) {
      counts.firstSeen += 1;
      firstSeen.add(snapshot.groupId);
    }
    counts.events += events.length;
    if (throughOf(lane) === 'reconciliation') counts.foundByWalks += events.length;
    remember(snapshot, reading);
    const { groupId } = snapshot;
    // A second reading, `settle` later, decides whether what was missing is removed.
    if (Object.keys(snapshot.absences).length > 0 && !isHolding(cell.state, 'removals'))
      queue({ groupId, dueAt: reading.receivedAt + settle }, lane);
  }

  function remember(snapshot: Snapshot | undefined, reading: Reading): void {
    const id = idOf(reading);
    // The snapshot may keep what this reading lacks.
    const isWhole = snapshot && Object.keys(snapshot.absences).length === 0 && !leavesOut(snapshot, reading);
    const { sentAt, updatedAt, projection } = reading;
    if (isWhole === true) memory.remember(id, { digest: digestOf(projection), sentAt, updatedAt });
    else memory.forget(id);
  }

  /** Leaves a reading to a look-up. One that decides nothing is made again, when an answer just as old can decide. */
  function putOff({ snapshot, reading, compared }: ComparedReading, lane: LaneName): void {
    const id = idOf(reading);
    const knownAt = snapshot?.receivedAt ?? clock.now();
    const since = compared.verdict === 'older' ? (olderSince(id) ?? reading.receivedAt) : undefined;
    const decidesAt = since === undefined ? knownAt + settle : Math.max(since, knownAt) + OLDER_SETTLES;
    const dueAt = lane === 'look-ups' ? clock.now() + decidesAt - reading.sentAt : knownAt + settle;
    leave({ groupId: id, dueAt, olderSince: since }, lane);
  }

  function leave(next: LookUp, lane: LaneName): void {
    counts.left += 1;
    memory.forget(next.groupId);
    queue(next, lane);
  }

  function queue(next: LookUp, lane: LaneName): void {
    const note = lane === 'look-ups' ? noteLookUpAgain : noteLookUp;
    cell.update((state) => note(state, next));
  }

  function throughOf(lane: LaneName): Reading['through'] {
    if (lane === 'fresh' || lane === 'late') return 'poll';
    return lane === 'recent' && cell.state.baselineAt === undefined ? 'baseline' : 'reconciliation';
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

function isWalkLane(lane: LaneName): lane is 'recent' | 'older' {
  return lane === 'recent' || lane === 'older';
}

function idOf({ projection }: Reading): number {
  return projection.group.id;
}

/** Groups seen for the first time, removed ones, and readings that are left say nothing of a mass change. */
function isCounted({ snapshot, compared }: ComparedReading): boolean {
  return (
    snapshot !== undefined &&
    snapshot.removedAt === undefined &&
    !['left', 'older'].includes(compared.verdict)
  );
}

function isOlder({ compared }: Pick<ComparedReading, 'compared'>): boolean {
  return compared.verdict === 'older';
}

/** Another store may have a group of that id, but hardly one created in the same second. */
function isSameGroup({ snapshot, reading: { createdAt } }: ComparedReading): boolean {
  return snapshot !== undefined && Math.abs(snapshot.createdAt - createdAt) <= SECOND;
}

/** Whether the save changes what is known without an event. */
function fillsIn({ snapshot, compared }: ComparedReading): boolean {
  if (snapshot === undefined || compared.verdict !== 'differs') return false;
  const { unpublished, projection } = compared.save.snapshot;
  return (
    Object.keys(unpublished).length > Object.keys(snapshot.unpublished).length ||
    ENTITY_ARRAYS.some((name) => snapshot.projection[name] === undefined && projection[name] !== undefined)
  );
}
