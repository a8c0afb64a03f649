// The lanes by `created_at`, which read every group whatever its `updated_at` says: `recent` those of the last 45 days,
// `older` the others, or both in one walk where that is cheap. A walk reads a page's worth of known groups at a time,
// compares them by the digests in the index, and checks that each part shows all groups that it should. The first walk
// is the baseline.

import { releaseInTime } from '../guarding/brake.ts';
import { endFindings, noteFinding } from '../guarding/findings.ts';
import { endReleased } from '../guarding/holds.ts';
import { endRemovalsHold } from '../guarding/removals.ts';
import { DAY, formatInstant, HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../instant.ts';
import { PAGE_LIMIT } from '../limits.ts';
import type { KnownGroup } from '../ports.ts';
import { isWithin, type Page, type Range } from '../reading/range.ts';
import { forgetRoom, plannedRows } from '../reading/room.ts';
import { beginRound, type Round, replaceRange } from '../reading/round.ts';
import type { CompletePart } from '../reading/round-context.ts';
import { forgetVanished } from '../recording/set-aside.ts';
import { queueFeedReport } from '../reporting/feed-reports.ts';
import { type SourceState, walkedAt } from '../source/source-state.ts';
import { drain, inRhythm, type Lane, updateLane } from './lane.ts';
import { checkList } from './list-check.ts';
import { isJoined, OLDER_RHYTHM } from './rhythms.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

type Walk = 'recent' | 'older';

/** Nearly all groups that still change are younger. */
const RECENT = 45 * DAY;
/** A piece ends in a gap this long between known groups, if one is near. */
const GAP = 4 * SECOND;
const NEAR = 1.1;
/** How much wider a piece of the baseline may be than the density of the part before it suggests. */
const MOST_GROWTH = 4;
const NARROWEST_PIECE = 6 * SECOND;
/** The polls check: this many known groups that polls had passed move the cursor back, by at most this much. */
const FEWEST_PASSED = 3;
const MOST_BACK = 26 * HOUR;
const AFTER_FAILURE = MINUTE;

export function createWalkLane(run: TickRun, name: Walk): Lane {
  const { session } = run;
  const { settings, store } = session;
  const rhythm = name === 'recent' ? settings.reconcileMs * MILLISECOND : OLDER_RHYTHM;
  const lane = () => run.state.lanes[name];
  /** The known groups of the piece that is being read. */
  let piece: { readonly range: Range; readonly groups: ReadonlyMap<number, KnownGroup> } | undefined;
  /** Rows of the last complete part of the baseline, and how long an interval it was. */
  let density: { readonly rows: number; readonly width: number } | undefined;

  function begin(): void {
    const startedAt = run.now();
    const boundary = startedAt - RECENT;
    const isWhole = name === 'recent' && isJoined(run.state, settings);
    const from = name === 'older' || isWhole ? undefined : boundary;
    const to = name === 'older' ? boundary : undefined;
    const round = { ...beginRound(startedAt, [{ axis: 'created', from, to, isRest: true }]), isWhole };
    if (name === 'older' || isWhole)
      run.update((state) => ({ ...state, limit: PAGE_LIMIT, room: forgetRoom(state.room) }));
    if (name === 'recent') run.update((state) => releaseInTime({ ...state, removals: 0 }, startedAt));
    updateLane(run, name, (before) => ({ ...before, round }));
  }

  async function plan(rest: Range): Promise<void> {
    const { groups, end } = await takePiece(rest);
    const { room, limit, baselineAt } = run.state;
    const inBaseline =
      baselineAt === undefined && end === undefined ? byDensity(rest, plannedRows(room, limit)) : undefined;
    const parts =
      inBaseline ??
      (end === undefined
        ? [rest]
        : [
            { ...rest, to: end },
            { ...rest, from: end },
          ]);
    const [first = rest, ...others] = parts;
    const next = { ...first, isRest: undefined };
    piece = { range: next, groups };
    const known = [...groups.values()].filter(({ createdAt }) => isWithin(createdAt, next)).length;
    updateRound((round) => ({
      ...replaceRange(round, rest, [next, ...others]),
      groups: round.groups + known,
    }));
  }

  /** The next known groups, about a page's worth, and where they end; undefined if no more follow. */
  async function takePiece({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Range) {
    const size = plannedRows(run.state.room, run.state.limit);
    const groups = new Map<number, KnownGroup>();
    let last = Number.NEGATIVE_INFINITY;
    let end: Instant | undefined;
    for await (const group of store.knownCreatedBetween(sourceOf(run), from, to)) {
      if (group.createdAt >= to) break;
      if (groups.size >= size) {
        // Never within a second: bounds are not that precise.
        if (end === undefined && secondOf(group.createdAt) > secondOf(last)) end = secondOf(last) + SECOND;
        if (end !== undefined && group.createdAt - last >= GAP && groups.size <= size * NEAR)
          return { groups, end: secondOf(last) + 2 * SECOND };
        if (end !== undefined && groups.size >= size * NEAR) break;
      }
      groups.set(group.groupId, group);
      last = group.createdAt;
    }
    return { groups, end };
  }

  /** Where little is known yet, a piece is planned by the density of the part before it. */
  function byDensity(rest: Range, size: number): Range[] | undefined {
    if (density === undefined) return undefined;
    const { from, to } = rest;
    const growth = density.rows === 0 ? MOST_GROWTH : Math.min(MOST_GROWTH, size / density.rows);
    const width = Math.max(NARROWEST_PIECE, Math.floor(density.width * growth));
    if (from !== undefined && from + width < (to ?? run.now()) - NARROWEST_PIECE)
      return [
        { ...rest, to: from + width },
        { ...rest, from: from + width },
      ];
    // An open start has no width: after an empty part the rest is read as a whole.
    if (from === undefined && to !== undefined && density.rows > 0)
      return [
        { ...rest, from: to - width },
        { ...rest, to: to - width },
      ];
    return undefined;
  }

  async function known(range: Range): Promise<ReadonlyMap<number, KnownGroup>> {
    if (piece !== undefined && isWithinPiece(range, piece.range)) return piece.groups;
    const groups = new Map<number, KnownGroup>();
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
    for await (const group of store.knownCreatedBetween(sourceOf(run), from, to))
      groups.set(group.groupId, group);
    return groups;
  }

  async function onComplete(part: CompletePart, page: Page | undefined): Promise<void> {
    if (page !== undefined) noteDensity(part.range, page);
    const missing = await checkList(run, part, await known(part.range));
    if (missing > 0) updateRound((round) => ({ ...round, missing: round.missing + missing }));
  }

  function noteDensity({ from, to }: Range, { rows, receivedAt }: Page): void {
    const created = rows.flatMap((row) => row.createdAt ?? []);
    const start = from ?? (created.length === 0 ? undefined : Math.min(...created));
    if (start === undefined) return;
    density = { rows: rows.length, width: Math.max(SECOND, (to ?? receivedAt) - start) };
  }

  function updateRound(change: (round: Round) => Round): void {
    updateLane(run, name, (before) => ({ ...before, round: before.round && change(before.round) }));
  }

  async function finish(round: Round): Promise<void> {
    const endedAt = run.now();
    const { startedAt, missing, isWhole = false } = round;
    const groups = run.state.baselineAt === undefined ? await countKnown() : round.groups;
    const before = run.state.lanes;
    // After walks over all groups, `older` has not counted its own yet.
    const rest = isWhole ? 0 : Math.max(before.older.groups, before.recent.groups - groups);
    if (name === 'recent') updateLane(run, 'older', (lane) => ({ ...lane, groups: rest }));
    // Clocks of processes may be seconds apart.
    const later = (before: Instant | undefined) => Math.max(before ?? startedAt, startedAt);
    updateLane(run, name, (before) => ({
      ...before,
      readAt: later(before.readAt),
      endedAt,
      groups,
      // A later walk over recent groups may not look for what a walk over all groups misses.
      missing: isWhole ? 0 : missing,
    }));
    if (isWhole)
      updateLane(run, 'older', (before) => ({
        ...before,
        readAt: later(before.readAt),
        endedAt,
        missing,
        round: undefined,
      }));
    run.update((state) => checkPolls(state, name, round, endedAt));
    run.update(endRemovalsHold);
    run.update((state) => endFindings(state, name, startedAt));
    if (isWhole) run.update((state) => endFindings(state, 'older', startedAt));
    run.update((state) => forgetVanished(endReleased(state, walkedAt(state)), walkedAt(state)));
    if (run.state.baselineAt === undefined)
      run.update((state) => completeBaseline(state, { ...round, groups }, endedAt));
    run.progress();
  }

  async function countKnown(): Promise<number> {
    const all = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
    const ids = new Set(run.recorder.firstSeen);
    for await (const { groupId } of store.knownCreatedBetween(sourceOf(run), ...all)) ids.add(groupId);
    return ids.size;
  }

  return {
    name,
    dueAt() {
      if (name === 'older' && isJoined(run.state, settings)) return Number.POSITIVE_INFINITY;
      return lane().round ? 0 : inRhythm(lane().dueAt, rhythm, run.now());
    },
    async work() {
      if (lane().round === undefined) begin();
      const read = await drain(run, name, { first: 'oldest', plan, known, onComplete });
      const { round } = lane();
      if (round === undefined) return;
      const dueAt = read ? round.startedAt + rhythm : run.now() + AFTER_FAILURE;
      updateLane(run, name, (before) => ({ ...before, round: undefined, dueAt }));
      if (read) await finish(round);
    },
  };
}

/** The polls check: known groups with a newer stamp older than the cursor were lost to polls. */
function checkPolls(
  state: SourceState,
  lane: Walk,
  { passed, oldestPassed }: Round,
  now: Instant,
): SourceState {
  if (passed < FEWEST_PASSED || oldestPassed === undefined) return state;
  const cursor = Math.min(state.cursor, Math.max(oldestPassed, now - MOST_BACK));
  const example = `updated_at ${formatInstant(oldestPassed)}, read from ${formatInstant(state.cursor)}`;
  const found = { code: 'polls_miss_changes', lane, count: passed, example } as const;
  return noteFinding({ ...state, cursor, newestAt: [] }, found, now);
}

function completeBaseline(
  state: SourceState,
  { startedAt, groups, requests }: Round,
  now: Instant,
): SourceState {
  const { older } = state.lanes;
  const lanes = { ...state.lanes, older: { ...older, dueAt: startedAt + OLDER_RHYTHM } };
  const times = { started_at: formatInstant(state.startedAt), completed_at: formatInstant(now) };
  const object = { type: 'baseline' as const, mode: state.mode, groups, requests, ...times };
  return queueFeedReport({ ...state, lanes, baselineAt: now }, 'feed.baseline_completed', object, now);
}

function isWithinPiece(range: Range, piece: Range): boolean {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  return from >= (piece.from ?? Number.NEGATIVE_INFINITY) && to <= (piece.to ?? Number.POSITIVE_INFINITY);
}

function secondOf(instant: Instant): Instant {
  return Math.floor(instant / SECOND) * SECOND;
}
