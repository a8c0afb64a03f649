// The lanes by `updated_at`. `fresh` reads the newest changes, as often as the settings say. `late` reads all since the
// cursor, once a minute: what showed late, and what `fresh` left. Only a complete round of `late` moves the cursor.

import { endFindings } from '../guarding/findings.ts';
import { HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../instant.ts';
import { cutAt, planCuts } from '../reading/plan-parts.ts';
import type { Range } from '../reading/range.ts';
import { plannedRows } from '../reading/room.ts';
import { beginRound, type Round } from '../reading/round.ts';
import { RoundFailed } from '../reading/round-context.ts';
import { createRoundReader } from '../reading/round-reader.ts';
import { newestStamp } from '../recording/learn-from-page.ts';
import { reachBack } from '../source/first-state.ts';
import type { FreshMemory } from '../source/source-session.ts';
import type { SourceState } from '../source/source-state.ts';
import { drain, inRhythm, type Lane, updateLane } from './lane.ts';
import { lateRhythm } from './rhythms.ts';
import type { TickRun } from './tick-run.ts';

/** How long before the newest stamp `fresh` begins. */
const OVERLAP = 3 * SECOND;
/** How far ahead of now it reads. */
const AHEAD = HOUR;
/** Requests of one of its rounds; the rest is left to `late`. */
const MOST_FRESH_REQUESTS = 20;
/** How much of a page a planned part should fill. */
const FILLED = 0.7;
/** The cursor lies so much after its stamp that a quiet store's last change is not read again for ever. */
const AFTER_STAMP = 2 * SECOND;
/** While rounds leave places out, the cursor stays for this long: the places are tried again. */
const HELD_BACK = 2 * HOUR;
/** Moments of the newest stamp that are kept: more would only be needed after hours without a complete round. */
const MOST_MOMENTS = 600;
/** A round that fails as a whole begins anew after this. */
const AFTER_FAILURE = 10 * SECOND;

export function createFreshLane(run: TickRun): Lane {
  const { settings, fresh } = run.session;
  const rhythm = settings.intervalMs * MILLISECOND;

  async function work(): Promise<void> {
    const startedAt = run.now();
    fresh.dueAt = Math.max(fresh.dueAt + rhythm, startedAt);
    const { cursor } = run.state;
    const from =
      fresh.newest === undefined ? cursor : Math.max(cursor, Math.min(fresh.newest, startedAt) - OVERLAP);
    const range: Range = { axis: 'updated', from, to: Math.max(from, startedAt) + AHEAD };
    let round = beginRound(startedAt, cutAt(range, fresh.cuts));
    const reader = createRoundReader({
      ...{ run: watched(run, fresh), lane: 'fresh', first: 'newest' },
      get round() {
        return round;
      },
      update(change) {
        round = change(round);
      },
    });
    try {
      while (round.stack.length > 0 && round.requests < MOST_FRESH_REQUESTS) await reader.readNext();
    } catch (error) {
      if (!(error instanceof RoundFailed)) throw error;
    }
    fresh.cuts = cutsAfter(run.state, reader.created().values());
    if (round.stack.length > 0) return;
    run.polls += 1;
    run.update((state) => endFindings(state, 'fresh', startedAt));
  }

  // Ticks have the rhythm themselves: one that begins early, or after a late one, still polls.
  if (fresh.dueAt - run.now() < rhythm / 2 || fresh.dueAt - run.now() > rhythm) fresh.dueAt = run.now();
  return { name: 'fresh', dueAt: () => fresh.dueAt, work };
}

/** The run, noting the newest stamp of each page that was recorded. */
function watched(run: TickRun, fresh: FreshMemory): TickRun {
  const { recorder } = run;
  return Object.create(run, {
    recorder: {
      value: {
        ...recorder,
        async record(...[page, ...rest]: Parameters<typeof recorder.record>) {
          const recorded = await recorder.record(page, ...rest);
          fresh.newest = newestStamp(fresh.newest, page);
          return recorded;
        },
      },
    },
  });
}

export function createLateLane(run: TickRun): Lane {
  const { settings } = run.session;
  const rhythm = lateRhythm(settings);
  const lane = () => run.state.lanes.late;

  function begin(): void {
    const startedAt = run.now();
    const { cursor, newest = startedAt } = run.state;
    // An open end never empties where groups change as fast as it reads.
    const end = Math.max(startedAt, newest, cursor) + SECOND;
    const stack = cutAt({ axis: 'updated', from: cursor, to: end }, lane().cuts);
    updateLane(run, 'late', (before) => ({ ...before, round: beginRound(startedAt, stack) }));
    run.update((state) => noteNewest(state, startedAt));
  }

  return {
    name: 'late',
    dueAt: () => (lane().round ? 0 : inRhythm(lane().dueAt, rhythm, run.now())),
    async work() {
      if (lane().round === undefined) begin();
      const created = await drain(run, 'late', { first: 'newest' });
      const { round } = lane();
      if (round === undefined) return;
      const now = run.now();
      const dueAt = created === undefined ? now + AFTER_FAILURE : round.startedAt + rhythm;
      updateLane(run, 'late', (before) => ({ ...before, round: undefined, dueAt }));
      if (created === undefined) return;
      run.polls += 1;
      run.update((state) => moveCursor(state, round, settings));
      run.update((state) => endFindings(state, 'late', round.startedAt));
      const { startedAt, groups } = round;
      const cuts = cutsAfter(run.state, created.values());
      // Clocks of processes may be seconds apart.
      updateLane(run, 'late', (before) => ({
        ...{ ...before, endedAt: now, groups, cuts },
        readAt: Math.max(before.readAt ?? startedAt, startedAt),
      }));
    },
  };
}

function cutsAfter({ room, limit }: SourceState, created: Iterable<Instant>): Instant[] {
  return planCuts(created, plannedRows(room, limit, FILLED));
}

/** Notes the newest stamp once a minute. */
function noteNewest(state: SourceState, at: Instant): SourceState {
  const { newest, newestAt } = state;
  const last = newestAt.at(-1);
  if (newest === undefined) return state;
  // A moment in the future comes from a clock that was ahead.
  const known = last !== undefined && last.at > at ? [] : newestAt;
  if (known.length > 0 && at - (last?.at ?? 0) < MINUTE - 6 * SECOND) return state;
  return { ...state, newestAt: [...known, { at, stamp: newest }].slice(-MOST_MOMENTS) };
}

/**
 * Moves the cursor to the newest stamp that was known the lookback and `settle` before the round began: what is stamped
 * earlier has shown since, or never will to polls. It compares stamps with stamps only, so no clock or zone matters. After
 * a round that left something out it stays further behind.
 */
function moveCursor(
  state: SourceState,
  { startedAt, leavesOut = false }: Round,
  settings: Parameters<typeof reachBack>[0],
): SourceState {
  const before = startedAt - Math.max(leavesOut ? HELD_BACK : 0, reachBack(settings)) - AFTER_STAMP;
  const index = state.newestAt.findLastIndex(({ at }) => at <= before);
  const known = state.newestAt[index];
  if (known === undefined) return state;
  const cursor = Math.max(state.cursor, known.stamp + AFTER_STAMP);
  return { ...state, cursor, newestAt: state.newestAt.slice(index) };
}
