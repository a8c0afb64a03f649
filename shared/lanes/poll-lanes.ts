// The lanes by `updated_at`. `fresh` reads the newest changes, as often as the settings say. `late` reads all since the
// cursor, once a minute: what showed late, and what `fresh` left. Only a complete round of `late` moves the cursor.

import { endFindings } from '../guarding/findings.ts';
import { type Instant, MILLISECOND, SECOND } from '../instant.ts';
import { placesToAsk } from '../position/places.ts';
import { close, newestOf, noteMoment, rangeOf } from '../position/position.ts';
import { cutAt, planCuts } from '../reading/plan-parts.ts';
import type { Page, Range } from '../reading/range.ts';
import { rowsOfPart } from '../reading/room.ts';
import { beginRound, type Round } from '../reading/round.ts';
import { RoundFailed, type RoundReader } from '../reading/round-context.ts';
import { createRoundReader } from '../reading/round-reader.ts';
import { hasFresh, inRhythm, lateRhythm, nextSlot } from '../source/rhythms.ts';
import { reachOf } from '../source/source-settings.ts';
import type { SourceState } from '../source/source-state.ts';
import { drain, type Lane, updateLane } from './lane.ts';
import { checkList } from './list-check.ts';
import { knownIn, type TickRun } from './tick-run.ts';

/** Requests of one round of `fresh`; the next one goes on with what is left. */
const MOST_FRESH_REQUESTS = 60;
/** More ranges are left to `late`. */
const MOST_LEFT = 48;
/** A round that fails as a whole begins anew after this. */
const AFTER_FAILURE = 10 * SECOND;

export function createFreshLane(run: TickRun): Lane {
  const { settings, fresh } = run.session;
  const rhythm = settings.intervalMs * MILLISECOND;

  async function work(): Promise<void> {
    const startedAt = run.now();
    // What earlier rounds left comes first: its stamps are older than the newest one, so no other round reads it.
    const left = startPass(fresh.left);
    let own: Pass | undefined;
    let newest: Instant | undefined;
    try {
      await left.read(MOST_FRESH_REQUESTS);
      const range = rangeOf(run.state.position, 'fresh', run.now(), fresh.newest);
      own = startPass(cutAt(range, fresh.cuts), (page) => {
        // What changes later in a part that was read has a newer stamp than the first page: the next round reads it.
        newest ??= newestOf([fresh.newest, ...stampsOf(page)], page.receivedAt);
      });
      await own.read(MOST_FRESH_REQUESTS - left.round.requests);
      // A round that the tick's end cuts off goes on at once in the next tick.
      fresh.dueAt = nextSlot(rhythm, startedAt, run.session.spread);
    } finally {
      // Without a first page the next round has the same range.
      const rest = [...left.round.stack, ...(newest === undefined ? [] : (own?.round.stack ?? []))];
      fresh.left = rest.length <= MOST_LEFT ? rest : [];
      fresh.newest = newest ?? fresh.newest;
    }
    fresh.cuts = cutsAfter(run.state, own.reader.created().values());
    if (left.round.stack.length + own.round.stack.length > 0) return;
    run.polls += 1;
    run.update((state) => endFindings(state, 'fresh', startedAt));
  }

  interface Pass {
    readonly round: Round;
    readonly reader: RoundReader;
    /** Reads on in at most so many requests. */
    read(most: number): Promise<void>;
  }

  function startPass(stack: readonly Range[], onRecorded?: (page: Page) => void): Pass {
    let round = beginRound(run.now(), stack);
    const reader = createRoundReader({
      ...{ run, lane: 'fresh', first: 'newest', onRecorded },
      get round() {
        return round;
      },
      update(change) {
        round = change(round);
      },
    });
    return {
      get round() {
        return round;
      },
      reader,
      async read(most) {
        try {
          while (round.stack.length > 0 && round.requests < most) await reader.readNext();
        } catch (error) {
          if (!(error instanceof RoundFailed)) throw error;
        }
      },
    };
  }

  const exists = () => hasFresh(settings, run.state.lanes.late.requests);
  // Only a tick begins early: a round that did so at the end of one would be cut off.
  if (exists() && inRhythm(fresh.dueAt, rhythm, run.now()) <= run.now()) fresh.dueAt = run.now();
  return { name: 'fresh', dueAt: () => (exists() ? fresh.dueAt : Number.POSITIVE_INFINITY), work };
}

function stampsOf({ rows }: Page): Instant[] {
  return rows.flatMap((row) => (row.kind === 'readable' ? [row.updatedAt] : []));
}

export function createLateLane(run: TickRun): Lane {
  const { settings, fresh } = run.session;
  const lane = () => run.state.lanes.late;
  const isAlone = () => !hasFresh(settings, lane().requests);
  const rhythm = () => lateRhythm(settings, lane().requests);

  function begin(): void {
    const startedAt = run.now();
    run.updatePosition((position) => noteMoment(position, startedAt));
    const { position } = run.state;
    if (isAlone()) fresh.dueAt = startedAt;
    const range = rangeOf(position, isAlone() ? 'alone' : 'late', startedAt);
    const asked = placesToAsk(position.places, range, startedAt).map(({ axis, from, to }) => ({
      axis,
      from,
      to,
    }));
    const stack = [...cutAt(range, lane().cuts), ...asked];
    updateLane(run, 'late', (before) => ({ ...before, round: beginRound(startedAt, stack) }));
  }

  return {
    name: 'late',
    dueAt() {
      // A process that has not polled yet does so at once.
      if (lane().round || (isAlone() && fresh.dueAt === 0)) return 0;
      return inRhythm(lane().dueAt, rhythm(), run.now(), Math.max(rhythm(), AFTER_FAILURE));
    },
    async work() {
      if (lane().round === undefined) begin();
      const created = await drain(run, 'late', {
        first: 'newest',
        // Only places are asked for by creation.
        async onComplete(part) {
          if (part.range.axis === 'created') await checkList(run, part, await knownIn(run, part.range));
        },
      });
      const { round } = lane();
      if (round === undefined) return;
      const now = run.now();
      if (created === undefined)
        return updateLane(run, 'late', (before) => ({
          ...{ ...before, round: undefined, dueAt: now + AFTER_FAILURE },
        }));
      run.polls += 1;
      const { startedAt, asOf, groups, requests } = round;
      run.updatePosition((position) =>
        close(position, { lane: 'late', startedAt, asOf }, reachOf(settings), now),
      );
      run.update((state) => endFindings(state, 'late', startedAt));
      const cuts = cutsAfter(run.state, created.values());
      updateLane(run, 'late', (before) => ({
        ...{ ...before, round: undefined, endedAt: now, groups, requests, cuts },
        dueAt: nextSlot(lateRhythm(settings, requests), startedAt, run.session.spread),
      }));
    },
  };
}

function cutsAfter({ room, limit }: SourceState, created: Iterable<Instant>): Instant[] {
  return planCuts(created, rowsOfPart(room, limit));
}
