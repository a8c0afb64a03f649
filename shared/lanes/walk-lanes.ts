// The lanes by `created_at`, which read every group whatever its `updated_at` says: `recent` those of the last 45 days,
// `older` the others, or both in one walk where that is cheap. A walk reads a page's worth of known groups at a time,
// compares them by the digests in the index, and checks that each part shows all groups that it should. The first walk
// is the baseline: it cuts the whole range, the newest part first.

import { endBackfillHold } from '../guarding/backfill.ts';
import { releaseInTime } from '../guarding/brake.ts';
import { endFindings } from '../guarding/findings.ts';
import { endReleased } from '../guarding/holds.ts';
import { endRemovalsHold } from '../guarding/removals.ts';
import { DAY, formatInstant, type Instant, MINUTE, SECOND } from '../instant.ts';
import type { KnownGroup } from '../ports.ts';
import { close, rangeOf } from '../position/position.ts';
import { raiseLimit } from '../reading/page-limit.ts';
import { contains, EARLIEST, LATEST, type Range } from '../reading/range.ts';
import { forgetRoom, rowsOfPiece } from '../reading/room.ts';
import { beginRound, type Round, replaceRange } from '../reading/round.ts';
import type { CompletePart } from '../reading/round-context.ts';
import { forgetVanished } from '../recording/set-aside.ts';
import { queueFeedReport } from '../reporting/feed-reports.ts';
import { inRhythm, isJoined, OLDER_RHYTHM, walkRhythm } from '../source/rhythms.ts';
import { reachOf } from '../source/source-settings.ts';
import type { SourceState } from '../source/source-state.ts';
import { drain, type Lane, updateLane } from './lane.ts';
import { checkList } from './list-check.ts';
import { knownIn, sourceOf, type TickRun } from './tick-run.ts';

type Walk = 'recent' | 'older';

/** A piece ends in a gap this long between known groups, if one is near. */
const GAP = 4 * SECOND;
const NEAR = 1.1;
/** The part of the baseline that is read first: what is created as the feed begins is in it. */
const FIRST_OF_BASELINE = DAY;
const AFTER_FAILURE = MINUTE;

export function createWalkLane(run: TickRun, name: Walk): Lane {
  const { settings, store } = run.session;
  const lane = () => run.state.lanes[name];
  /** The known groups of the piece that is being read. */
  let piece: { readonly range: Range; readonly groups: ReadonlyMap<number, KnownGroup> } | undefined;

  async function begin(): Promise<void> {
    const isTriedAgain = run.now() >= run.state.room.since + OLDER_RHYTHM;
    if (isTriedAgain) await raiseLimit(run, name);
    const startedAt = run.now();
    const { baselineAt, position } = run.state;
    const isWhole = name === 'recent' && isJoined(run.state, settings);
    const range = rangeOf(position, isWhole ? 'all' : name, startedAt);
    const middle = (position.origin ?? startedAt) - FIRST_OF_BASELINE;
    const stack =
      baselineAt === undefined
        ? [
            { ...range, to: middle },
            { ...range, from: middle },
          ]
        : [{ ...range, isRest: true }];
    // A longer page shows only where it is tried.
    if (isTriedAgain)
      run.update((state) => ({ ...state, room: { ...forgetRoom(state.room), since: startedAt } }));
    if (name === 'recent')
      run.update((state) => releaseInTime({ ...state, removals: 0, backfilled: 0 }, startedAt));
    updateLane(run, name, (before) => ({ ...before, round: { ...beginRound(startedAt, stack), isWhole } }));
  }

  async function plan(rest: Range): Promise<void> {
    const { groups, end } = await takePiece(rest);
    const next = { ...rest, ...(end === undefined ? {} : { to: end }), isRest: undefined };
    const parts = end === undefined ? [next] : [next, { ...rest, from: end }];
    piece = { range: next, groups };
    updateRound((round) => ({
      ...replaceRange(round, rest, parts),
      groups: round.groups + groups.size,
    }));
  }

  /** The next known groups, about a page's worth, and where they end; undefined if no more follow. */
  async function takePiece({ from = EARLIEST, to = LATEST }: Range) {
    const size = rowsOfPiece(run.state.room, run.state.limit);
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

  async function known(range: Range): Promise<ReadonlyMap<number, KnownGroup>> {
    if (piece !== undefined && contains(piece.range, range)) return piece.groups;
    return await knownIn(run, range);
  }

  async function onComplete(part: CompletePart): Promise<void> {
    const missing = await checkList(run, part, await known(part.range));
    if (missing > 0) updateRound((round) => ({ ...round, missing: round.missing + missing }));
  }

  function updateRound(change: (round: Round) => Round): void {
    updateLane(run, name, (before) => ({ ...before, round: before.round && change(before.round) }));
  }

  async function finish(round: Round): Promise<void> {
    const endedAt = run.now();
    const { startedAt, asOf, missing, requests, isWhole = false } = round;
    const groups = run.state.baselineAt === undefined ? await countKnown() : round.groups;
    const before = run.state.lanes;
    // After walks over all groups, `older` has not counted its own yet.
    const rest = isWhole ? 0 : Math.max(before.older.groups, before.recent.groups - groups);
    if (name === 'recent') updateLane(run, 'older', (lane) => ({ ...lane, groups: rest }));
    updateLane(run, name, (before) => ({
      ...{ ...before, round: undefined, endedAt, groups, requests },
      dueAt: startedAt + walkRhythm(name, isWhole, requests, settings),
      // A later walk over recent groups may not look for what a walk over all groups misses.
      missing: isWhole ? 0 : missing,
    }));
    if (isWhole)
      updateLane(run, 'older', (before) => ({
        ...{ ...before, endedAt, missing, round: undefined },
        dueAt: startedAt + walkRhythm('older', true, requests, settings),
      }));
    run.updatePosition((position) =>
      close(position, { lane: name, isWhole, startedAt, asOf }, reachOf(settings), endedAt),
    );
    run.update((state) => endBackfillHold(endRemovalsHold(state)));
    run.update((state) => endFindings(state, name, startedAt));
    if (isWhole) run.update((state) => endFindings(state, 'older', startedAt));
    run.update((state) => forgetVanished(endReleased(state)));
    if (run.state.baselineAt === undefined)
      run.update((state) => completeBaseline(state, { ...round, groups }, endedAt));
    run.progress();
  }

  async function countKnown(): Promise<number> {
    const ids = new Set(run.recorder.firstSeen);
    for await (const { groupId } of store.knownCreatedBetween(sourceOf(run), EARLIEST, LATEST))
      ids.add(groupId);
    return ids.size;
  }

  return {
    name,
    dueAt() {
      const isWhole = isJoined(run.state, settings);
      const { round, requests, dueAt } = lane();
      if (round) return 0;
      if (name === 'older' && isWhole) return Number.POSITIVE_INFINITY;
      const rhythm = walkRhythm(name, isWhole, requests, settings);
      return inRhythm(dueAt, rhythm, run.now(), Math.max(rhythm, AFTER_FAILURE));
    },
    async work() {
      if (lane().round === undefined) await begin();
      const read = await drain(run, name, { first: firstPart(run.state), plan, known, onComplete });
      const { round } = lane();
      if (round === undefined) return;
      if (read) await finish(round);
      else
        updateLane(run, name, (before) => ({
          ...before,
          round: undefined,
          dueAt: run.now() + AFTER_FAILURE,
        }));
    },
  };
}

/** Which part of a range without order is read first. */
function firstPart({ baselineAt }: SourceState): 'newest' | 'oldest' {
  return baselineAt === undefined ? 'newest' : 'oldest';
}

function completeBaseline(state: SourceState, { groups, requests }: Round, now: Instant): SourceState {
  const times = { started_at: formatInstant(state.startedAt), completed_at: formatInstant(now) };
  const object = { type: 'baseline' as const, mode: state.mode, groups, requests, ...times };
  return queueFeedReport({ ...state, baselineAt: now }, 'feed.baseline_completed', object, now);
}

function secondOf(instant: Instant): Instant {
  return Math.floor(instant / SECOND) * SECOND;
}
