// Where the feed begins, by the service's own stamps: the newest one in its store. It is searched by time, in any order of
// the list: back from a minute ahead of now, six times wider until rows show, then halved. Nothing is recorded before.
import { DAY, type Instant, MINUTE, SECOND } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import { beginAt, type NewestBetween, newestOf, PLAUSIBLE_AHEAD } from '../position/position.ts';
import { isServing, lowerRefusedLimit } from '../reading/page-limit.ts';
import { boundsOf } from '../reading/range.ts';
import { isComplete, learnRoom } from '../reading/room.ts';
import { formOf } from '../recording/learn-from-page.ts';
import { ReturnsServiceError } from '../returns-service/errors.ts';
import type { OriginSearch } from '../source/source-session.ts';
import { reachOf } from '../source/source-settings.ts';
import type { TickRun } from './tick-run.ts';

const FIRST_WIDTH = 2 * MINUTE;
const GROWTH = 6;
/** A store without a stamp in this time is empty. */
const FURTHEST = 4_000 * DAY;
/** Halving ends where rows are nearer to each other than this. */
const NEAREST = 2 * SECOND;
const MOST_HALVINGS = 16;

/** Finds the origin of a source that has none. @throws DeadlineReached, and what requests throw */
export async function findOrigin(run: TickRun): Promise<void> {
  if (run.state.position.origin !== undefined) return;
  const now = run.now();
  const { zoned } = run.state.stampForm;
  let newest = await findNewest(run, now + MINUTE);
  // Bounds in another form than the stamps may be another time to the service.
  if (run.state.stampForm.zoned !== zoned) {
    run.session.search = undefined;
    newest = await findNewest(run, now + MINUTE);
  }
  // A restored source is searched anew.
  run.session.search = undefined;
  run.updatePosition((position) => beginAt(position, newest, reachOf(run.session.settings), now));
  await run.cell.save();
}

/** @returns between which stamps the newest one lies; undefined if the store is empty */
async function findNewest(run: TickRun, top: Instant): Promise<NewestBetween | undefined> {
  const { session } = run;
  let at: OriginSearch = session.search ?? { to: top, width: FIRST_WIDTH, failing: undefined };
  while (at.to > top - FURTHEST) {
    // The next tick goes on where this one ends: it may have time for a few requests only.
    session.search = at;
    const { to, width, failing } = at;
    const found = await ask(run, to - width, to);
    if (found?.newest !== undefined) {
      // The service may have failed, and not a row of the interval.
      const again = failing === undefined ? undefined : await ask(run, to, failing).catch(atDeadline);
      if (failing !== undefined && again?.newest !== undefined) return await halve(run, again, failing);
      const { low, high } = await halve(run, found, to);
      return { low, high: again === undefined ? (failing ?? high) : high };
    }
    const isFailing = failing === undefined && found === undefined;
    at = { to: to - width, width: width * GROWTH, failing: isFailing ? to : failing };
  }
  return at.failing === undefined ? undefined : { low: at.to, high: at.failing };
}

interface Found {
  /** Whether the answer shows all rows. */
  readonly isWhole: boolean;
  /** The newest of their stamps; undefined if there is none. */
  readonly newest: Instant | undefined;
}

/** Halves the interval between the newest stamp that an answer shows and the interval's end, until an answer is complete. */
async function halve(run: TickRun, { newest = 0, isWhole }: Found, to: Instant): Promise<NewestBetween> {
  let [low, high, isEnd] = [newest, to, isWhole];
  for (let count = 0; !isEnd && high - low > NEAREST && count < MOST_HALVINGS; count += 1) {
    const middle = Math.floor((low + high) / 2);
    const found = await ask(run, middle, high).catch(atDeadline);
    if (found === undefined) break;
    if (found.newest === undefined) high = middle;
    else [low, isEnd] = [Math.max(low, found.newest), found.isWhole];
  }
  return { low, high: isEnd ? low : high };
}

/** The end of a tick ends the search once rows were found: what is known by then is enough. */
function atDeadline(error: unknown): undefined {
  if (!(error instanceof DeadlineReached)) throw error;
}

/** @returns undefined if the interval fails. @throws what an outage throws */
async function ask(run: TickRun, from: Instant, to: Instant): Promise<Found | undefined> {
  const { stampForm, limit, room } = run.state;
  const query = { ...boundsOf({ axis: 'updated', from, to }, stampForm), limit };
  try {
    const page = await run.ask('late', query, { skipsCaches: true });
    const { rows } = page;
    const isWhole = isComplete(room, limit, page);
    run.update((state) => ({
      ...{ ...state, room: learnRoom(state.room, page), stampForm: formOf(rows) ?? stampForm },
    }));
    return {
      isWhole,
      newest: newestOf(
        rows.map(({ updatedAt }) => updatedAt),
        to - PLAUSIBLE_AHEAD,
      ),
    };
  } catch (error) {
    if (!(error instanceof ReturnsServiceError)) throw error;
    if (!(await isServing(run, 'late'))) throw error;
    return (await lowerRefusedLimit(run, 'late')) ? await ask(run, from, to) : undefined;
  }
}
