// Reads the ranges of a round, one request after the other: a range whose answer is complete is done, one whose answer
// is full is cut (cut-range.ts), one that fails is tried again and then cut (cut-on-failure.ts). Every row is recorded
// as it comes, whatever becomes of its range.
import type { Instant } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import { boundsAlong, type Place, placeIn } from '../position/places.ts';
import { leaveOut } from '../position/position.ts';
import { RateLimitedError, ReturnsServiceError } from '../returns-service/errors.ts';
import { idOf } from '../returns-service/own-rows.ts';
import type { PassByOffset } from '../source/source-session.ts';
import { afterFailure, FAILURES_TO_CUT, onFailure, readFew } from './cut-on-failure.ts';
import { cutFull } from './cut-range.ts';
import { isServing, lowerRefusedLimit } from './page-limit.ts';
import { boundsOf, countGroups, EARLIEST, LATEST, type Page, type Range, withoutEnds } from './range.ts';
import { FEWEST_ROWS, isComplete, learnRoom } from './room.ts';
import { replaceRange } from './round.ts';
import type { CompletePart, RoundContext, RoundReader } from './round-context.ts';

/** Passes by offset over rows that can't be divided. */
const MOST_PASSES = 3;
const PAGES_SHRINK_BY = 0.15;
type Pass = NonNullable<Range['pass']>;

export function createRoundReader(context: RoundContext): RoundReader {
  const { run, lane, first } = context;
  const created = new Map<number, Instant>();
  /** Crowds whose parts are being read in this tick, by their interval; the whole is checked when no part is left. */
  const crowds = new Map<string, CompletePart & { readonly shown: Set<number> }>();
  const { passes } = run.session;

  async function readNext(): Promise<void> {
    const range = context.round.stack.at(-1);
    if (range === undefined) return;
    if (range.isRest && context.plan) return context.plan(range);
    const place = placeIn(run.state.position.places, range, run.now());
    if (place !== undefined) return readAround(range, place);
    if (range.few?.offset === 0 || (range.pass?.number === 1 && range.pass.offset === 0))
      passes.delete(keyOf(range));
    if (range.few !== undefined) return readFew(reader, range, range.few);
    if (range.pass !== undefined) return readByOffset(range, range.pass);
    const { limit } = run.state;
    const page = await ask(range, { limit });
    if (page === undefined) return;
    const isWhole = isComplete(run.state.room, limit, page);
    run.update((state) => ({ ...state, room: learnRoom(state.room, page) }));
    const shown = await record(range, isWhole ? page : withoutEnds(page));
    if (isWhole) return complete(range, shown, page);
    const rows = page.rows.filter((row) => row.kind === 'readable');
    const parts = cutFull(range, rows, first);
    const crowd = parts.find(({ cross }) => cross);
    if (crowd && !range.cross) {
      const { axis, from, to } = crowd;
      crowds.set(intervalOf(crowd), {
        range: { axis, from, to },
        shown: new Set(shown),
        sentAt: page.sentAt,
      });
    }
    context.update((round) => replaceRange(round, range, parts));
  }

  /** @returns undefined if the range failed, or its offset is refused */
  async function ask(range: Range, { limit, offset }: { limit: number; offset?: number }) {
    const query = { ...boundsOf(range, run.state.stampForm), limit, ...(offset ? { offset } : {}) };
    const { failures = 0, isSuspect = false } = range;
    const tries = isSuspect || failures >= FAILURES_TO_CUT ? 1 : undefined;
    // An answer that was kept would prove that two passes are the same.
    const skipsCaches = range.pass && range.pass.number > 1;
    context.update((round) => ({ ...round, requests: round.requests + 1 }));
    try {
      return await run.ask(lane, query, { tries, isSlow: range.isSlow, skipsCaches, range });
    } catch (error) {
      if (error instanceof DeadlineReached) noteCutOff(range, error.cause);
      if (!(error instanceof ReturnsServiceError)) throw error;
      const isRefused = offset && !error.retryable && (await isServing(run, lane));
      if (!isRefused) await onFailure(reader, range, error);
      else if (!(await lowerRefusedLimit(run, lane))) leaveUnproved(range);
      return undefined;
    }
  }

  /** Its tries did not fit into the tick: they count as a failure, and the next tick has less patience if it hung. */
  function noteCutOff(range: Range, cause: unknown): void {
    if (!(cause instanceof ReturnsServiceError) || cause instanceof RateLimitedError) return;
    context.update((round) => replaceRange(round, range, [afterFailure(range, cause)]));
  }

  async function record(range: Range, page: Page): Promise<ReadonlySet<number>> {
    const known = await context.known?.(range);
    const shown = await run.recorder.record(page, lane, known);
    context.onRecorded?.(page);
    const before = created.size;
    for (const row of page.rows) if (row.kind === 'readable') created.set(row.group.id, row.createdAt);
    context.update((round) => ({
      ...round,
      asOf: Math.min(round.asOf, page.sentAt),
      // Walks count known groups.
      groups: context.plan ? round.groups : round.groups + created.size - before,
    }));
    return shown;
  }

  /** Takes a range off the stack all of whose rows were recorded. */
  async function complete(range: Range, shown: ReadonlySet<number>, { sentAt }: Page): Promise<void> {
    takeOff(range);
    if (!range.cross) return context.onComplete?.({ range, shown, sentAt });
    const crowd = crowds.get(intervalOf(range));
    if (crowd === undefined) return;
    for (const id of shown) crowd.shown.add(id);
    const isLeft = context.round.stack.some((each) => intervalOf(each) === intervalOf(range));
    if (!isLeft) await context.onComplete?.(crowd);
  }

  function leave(range: Range): void {
    takeOff(range);
    crowds.delete(intervalOf(range));
  }

  function leaveUnproved(range: Range): void {
    const reason = JSON.stringify(boundsOf(range, run.state.stampForm));
    run.updatePosition((before) => leaveOut(before, range, { isLeftOut: false, reason }, run.now()));
    leave(range);
  }

  function takeOff(range: Range): void {
    context.update((round) => replaceRange(round, range));
    passes.delete(keyOf(range));
  }

  /**
   * Rows that can't be divided: pages until the end, again and again until two passes in a row show the same groups. A pass
   * proves nothing unless this process recorded as many different groups as it has rows: where ties have no order, a group
   * on two pages may mean that another one is on none.
   */
  async function readByOffset(range: Range, { number, offset }: Pass): Promise<void> {
    const { limit: most, room } = run.state;
    // Other pages in each pass: where the list is not stable, or a page ends within a group, they end elsewhere.
    const share = 1 - PAGES_SHRINK_BY * (number - 1);
    const shorter = Math.ceil(share * Math.min(most, Math.max(FEWEST_ROWS, room.groups)));
    const limit = number === 1 ? most : shorter;
    const page = await ask(range, { limit, offset });
    if (page === undefined) return;
    const { rows } = page;
    const isLast = rows.length < Math.min(limit, Math.max(FEWEST_ROWS, room.rows));
    const isRepeated =
      rows.length > 0 && (await recordByOffset(range, page, isLast ? page : withoutEnds(page, offset)));
    if (rows.length > 0 && !isRepeated) return goOn({ number, offset: offset + countGroups(rows) });
    const { shown, recorded, before } = shownByOffset(range);
    const isProved =
      before?.size === offset && recorded.size === offset && [...recorded].every((id) => before.has(id));
    if (!isRepeated && (isProved || offset === 0)) return complete(range, recorded, page);
    if (number === MOST_PASSES) return leaveUnproved(range);
    passes.set(keyOf(range), { shown: new Set(), recorded: new Set(), before: shown });
    goOn({ number: number + 1, offset: 0 });

    function goOn(pass: Pass): void {
      context.update((round) => replaceRange(round, range, [{ ...range, pass }]));
    }
  }

  async function recordByOffset(range: Range, page: Page, whole = page): Promise<boolean> {
    const recordedNow = await record(range, whole);
    const { shown, recorded } = shownByOffset(range);
    const before = shown.size;
    for (const row of page.rows) shown.add(idOf(row) ?? 0);
    for (const id of recordedNow) recorded.add(id);
    return before > 0 && shown.size === before;
  }

  function shownByOffset(range: Range): PassByOffset {
    const known = passes.get(keyOf(range)) ?? { shown: new Set(), recorded: new Set() };
    passes.set(keyOf(range), known);
    return known;
  }

  function keyOf({ axis, from, to, cross }: Range): string {
    return `${lane} ${axis} ${from} ${to} ${cross?.from} ${cross?.to}`;
  }

  /** Reads what lies around a place that was set aside. */
  function readAround(range: Range, place: Place): void {
    const isAlong = place.axis === range.axis;
    const { from, to } = boundsAlong(place.axis, range);
    const around = [
      { from, to: place.from },
      { from: place.to, to },
    ].filter(({ from: start = EARLIEST, to: end = LATEST }) => start < end);
    // An offset does not fit their lists. A range without narrow bounds is not read row by row.
    const few = (isAlong || range.cross) && range.few ? { ...range.few, offset: 0 } : undefined;
    const anew = { ...range, few, pass: undefined };
    const parts = around.map((part) => (isAlong ? { ...anew, ...part } : { ...anew, cross: part }));
    crowds.delete(intervalOf(range));
    context.update((round) => replaceRange(round, range, parts));
  }

  const reader: RoundReader = {
    ...{ context, readNext, record, recordByOffset, leave, leaveUnproved },
    shownByOffset: (range) => shownByOffset(range).shown.size,
    created: () => created,
  };
  return reader;
}

function intervalOf({ from, to }: Range): string {
  return `${from} ${to}`;
}
