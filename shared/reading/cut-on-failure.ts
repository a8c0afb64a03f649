// R6, a range that fails. A row can make every answer with it fail, for hours: then the range is cut until that row is
// alone, and its place is set aside for ten minutes, so that all else is read. An outage of the service fails every
// request: so a range is only cut while requests for an empty range succeed, also with the limit that it had.
import { DAY, HOUR, type Instant, SECOND } from '../instant.ts';
import { knownIn, sourceOf, type TickRun } from '../lanes/tick-run.ts';
import { leftOutUntil } from '../position/places.ts';
import { leaveOut } from '../position/position.ts';
import {
  RequestTimedOutError,
  ReturnsServiceError,
  ValidationRejectedError,
} from '../returns-service/errors.ts';
import { divide, NARROWEST } from './cut-range.ts';
import { isServing, lowerRefusedLimit } from './page-limit.ts';
import {
  type Axis,
  activeOf,
  boundsOf,
  countGroups,
  EARLIEST,
  LATEST,
  type Range,
  withActive,
} from './range.ts';
import { putBack, replaceRange } from './round.ts';
import { RoundFailed, type RoundReader } from './round-context.ts';

/** How often a range fails before it is cut. */
export const FAILURES_TO_CUT = 2;
/** The pause of a lane after a failure. */
const PAUSE = 5 * SECOND;
/** A round fails after so many cuts since it last found a failing row, or once this many places are set aside. */
const MOST_CUTS = 64;
const MOST_PLACES = 20;
const MOST_WAITING = 31;
/** With more known groups in it, a narrow range is first cut along the other axis. */
const MANY = 20;
/** How much wider a place is on both sides: neighbours are asked for a second wider. */
const BESIDE = 3 * SECOND;
/** How long before the first known group an open range begins, for cutting it. */
const BEFORE_FIRST = 120 * DAY;

export async function onFailure(
  reader: RoundReader,
  range: Range,
  error: ReturnsServiceError,
): Promise<void> {
  const { context } = reader;
  const { round, run, lane } = context;
  const failed = afterFailure(range, error);
  context.update((before) => putBack(before, range, failed));
  const mayCut =
    failed.failures >= FAILURES_TO_CUT &&
    round.stack.length < MOST_WAITING &&
    (await isServing(run, lane, failed.isSlow));
  if (!mayCut) {
    // Where all answers are slow, it is no row of this range.
    context.update((before) => replaceRange(before, failed, [{ ...failed, isSlow: undefined }]));
    return run.sleep(PAUSE);
  }
  if (await lowerRefusedLimit(run, lane, failed.isSlow)) return;
  if (round.cuts >= MOST_CUTS) throw new RoundFailed(error.message, { cause: error });
  const parts = (await partsOf(run, failed)) ?? [await rowByRow(run, failed, error.message)];
  const suspects = parts.map((part) => ({ ...part, failures: 1, isSuspect: true, pass: undefined }));
  // On top: a failing row is found before the next tick ends.
  context.update((before) => {
    const { stack } = replaceRange(before, failed);
    return { ...before, cuts: before.cuts + 1, stack: [...stack, ...suspects] };
  });
}

/** The range after another failure of its request. */
export function afterFailure(range: Range, error: ReturnsServiceError) {
  const isSlow = range.isSlow || error instanceof RequestTimedOutError;
  return { ...range, failures: (range.failures ?? 0) + 1, isSlow };
}

/** The range, too narrow to be cut, as it is read next. */
async function rowByRow(run: TickRun, failed: Range, reason: string): Promise<Range> {
  const { from, to } = await endsOf(run, failed);
  const wide = withActive(failed, { from: from - BESIDE, to: to + BESIDE });
  return { ...wide, few: { offset: 0, limit: MOST_AT_ONCE, failing: 0, reason } };
}

/** Returns two parts of the range, the older one first; undefined if it is too narrow. */
async function partsOf(run: TickRun, range: Range): Promise<Range[] | undefined> {
  const { axis } = activeOf(range);
  const ends = await endsOf(run, range);
  if (ends.to - ends.from > NARROWEST) {
    const cut = cutBeside(await knownStamps(run, axis, ends), ends);
    return divide(range, [cut ?? Math.floor((ends.from + ends.to) / 2)]);
  }
  return range.axis === 'updated' || range.cross ? undefined : partsAcross(run, range, ends);
}

interface Ends {
  readonly from: Instant;
  readonly to: Instant;
}

/** Where a range begins and ends, also if it is open. */
export async function endsOf(run: TickRun, range: Range): Promise<Ends> {
  const { axis, from, to } = activeOf(range);
  const now = run.now();
  // Further back than the range reaches: else cuts of a failing range would stop at its earliest bound.
  const earliest = async () => Math.min((await firstKnown(run)) - BEFORE_FIRST, 2 * (to ?? now) - now);
  return { from: from ?? (axis === 'updated' ? 0 : await earliest()), to: to ?? now + HOUR };
}

async function firstKnown(run: TickRun): Promise<Instant> {
  for await (const { createdAt } of run.session.store.knownCreatedBetween(sourceOf(run), EARLIEST, LATEST))
    return createdAt;
  return run.now();
}

/** A cut beside the median of known stamps, so that its row lies in one part only; undefined if there is none. */
function cutBeside(stamps: readonly Instant[], { from, to }: Ends): Instant | undefined {
  const cuts = stamps
    .flatMap((stamp) => [stamp - BESIDE, stamp + BESIDE])
    .filter((cut) => cut > from + BESIDE && cut < to - BESIDE)
    .toSorted((a, b) => a - b);
  return cuts[Math.floor(cuts.length / 2)];
}

/** Stamps of known groups: of creation from the index, of the last update as far as this process remembers them. */
async function knownStamps(run: TickRun, axis: Axis, ends: Ends): Promise<Instant[]> {
  if (axis === 'updated') return [...run.session.memory.updateStamps()];
  return [...(await knownIn(run, ends)).values()].map(({ createdAt }) => createdAt);
}

/** Cuts at the median of the last updates of many groups that were created at once, unless they are a crowd by both. */
async function partsAcross(run: TickRun, range: Range, ends: Ends): Promise<Range[] | undefined> {
  const ids = [...(await knownIn(run, ends)).keys()];
  if (ids.length <= MANY) return undefined;
  const snapshots = await run.session.store.load(sourceOf(run), ids);
  const stamps = [...snapshots.values()].map(({ updatedAt }) => updatedAt).toSorted((a, b) => a - b);
  const middle = Math.floor(stamps.length / 2);
  const [low = 0, cut = 0, high = 0] = [stamps[0], stamps[middle], stamps.at(-1)];
  return high - low < NARROWEST ? undefined : divide({ ...range, cross: {} }, [cut]);
}

/** Rows to ask for: fewer after a failure, more again after a success. */
const MOST_AT_ONCE = 16;
const FEWER = 4;
const TRIES_AT_ONCE = 2;
/** Rows that fail one by one: a place with more is set aside as a whole. */
const MOST_FAILING = 20;

/**
 * Reads the next rows of a narrow range, a few at a time, and sets its place aside at the end if some of them can't be
 * read. Each step survives the tick.
 */
export async function readFew(
  reader: RoundReader,
  range: Range,
  few: NonNullable<Range['few']>,
): Promise<void> {
  const { context } = reader;
  const { run, lane } = context;
  const { offset, failing, reason } = few;
  const limit = Math.min(few.limit, run.state.limit);
  const query = { ...boundsOf(range, run.state.stampForm), limit, ...(offset === 0 ? {} : { offset }) };
  try {
    const tries = range.isSlow ? 1 : TRIES_AT_ONCE;
    const page = await run.ask(lane, query, { tries, isSlow: range.isSlow });
    if (page.rows.length === 0) return finish();
    if (await reader.recordByOffset(range, page)) return finish(true);
    goOn({ ...few, offset: offset + countGroups(page.rows), limit: Math.min(MOST_AT_ONCE, limit * 2) });
  } catch (failure) {
    if (!(failure instanceof ReturnsServiceError)) throw failure;
    if (failure instanceof ValidationRejectedError && offset > 0) return finish();
    if (limit > 1) goOn({ ...few, limit: Math.ceil(limit / FEWER) });
    else if (failing < MOST_FAILING) goOn({ ...few, offset: offset + 1, failing: failing + 1 });
    else finish();
  }

  function goOn(next: NonNullable<Range['few']>): void {
    context.update((round) => replaceRange(round, range, [{ ...range, few: next }]));
  }

  function finish(isRepeated = false): void {
    if (failing > 0) setAside(reader, range, reason);
    // In a list without order, a row on two pages may mean that another one, which fails, was on none.
    const isProved = !isRepeated && reader.shownByOffset(range) === offset;
    if (failing === 0 && !isProved) reader.leaveUnproved(range);
    else reader.leave(range);
  }
}

/** Leaves the place out of all ranges for some time. */
function setAside({ context }: RoundReader, range: Range, reason: string): void {
  const { run } = context;
  const now = run.now();
  run.updatePosition((before) => leaveOut(before, range, { isLeftOut: true, reason }, now));
  const { places } = run.state.position;
  const findsMore = places.filter((place) => leftOutUntil(place) > now).length < MOST_PLACES;
  context.update((round) => ({ ...round, cuts: findsMore ? 0 : round.cuts }));
}
