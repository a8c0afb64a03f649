// Where the feed begins, by the service's own stamps: the newest one in its store. It is searched by time, in any order of
// the list: back from a minute ahead of now, six times wider until rows show, then halved. Nothing is recorded before.
import { DAY, type Instant, MINUTE, SECOND } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import { beginAt } from '../position/position.ts';
import { boundsOf } from '../reading/range.ts';
import { FEWEST_ROWS } from '../reading/room.ts';
import { formOf } from '../recording/learn-from-page.ts';
import { ReturnsServiceError } from '../returns-service/errors.ts';
import { reachOf } from '../source/source-settings.ts';
import type { TickRun } from './tick-run.ts';

const FIRST_WIDTH = 2 * MINUTE;
const GROWTH = 6;
/** A store without a stamp in this time is empty. */
const FURTHEST = 4_000 * DAY;
/** Halving ends where rows are nearer to each other than this. */
const NEAREST = 2 * SECOND;
const MOST_HALVINGS = 12;
const TRIES = 2;

/** Finds the origin of a source that has none. @throws DeadlineReached, and what requests throw */
export async function findOrigin(run: TickRun): Promise<void> {
  if (run.state.position.origin !== undefined) return;
  const now = run.now();
  const newest = await newestStamp(run, now + MINUTE);
  run.updatePosition((position) => beginAt(position, newest, reachOf(run.session.settings), now));
  await run.cell.save();
}

/** @returns undefined if the store is empty */
async function newestStamp(run: TickRun, top: Instant): Promise<Instant | undefined> {
  const { stampForm } = run.state;
  let to = top;
  for (let width = FIRST_WIDTH; to > top - FURTHEST; width *= GROWTH) {
    const found = await ask(run, to - width, to);
    // Bounds in another form than the stamps may be another time to the service.
    if (run.state.stampForm.zoned !== stampForm.zoned) return await newestStamp(run, top);
    // A row in it fails: its stamp may be the newest. An outage fails the next interval as well.
    if (found === 'failed')
      return (await ask(run, to - width * GROWTH, to - width)) === 'failed' ? fail(run) : to;
    if (found.rows > 0) return await halve(run, { ...found, to });
    to -= width;
  }
  return undefined;
}

interface Found {
  readonly rows: number;
  /** The newest of their stamps. */
  readonly newest: Instant | undefined;
}

/** Halves the interval between the newest stamp that an answer shows and the interval's end, until an answer is complete. */
async function halve(run: TickRun, { rows, newest, to }: Found & { readonly to: Instant }): Promise<Instant> {
  let low = newest ?? to;
  let high = to;
  let shown = rows;
  for (let count = 0; shown >= FEWEST_ROWS && high - low > NEAREST && count < MOST_HALVINGS; count += 1) {
    const middle = Math.floor((low + high) / 2);
    const found = await ask(run, middle, high);
    if (found === 'failed') return high;
    if (found.rows === 0) high = middle;
    else {
      low = Math.max(low, found.newest ?? middle);
      shown = found.rows;
    }
  }
  return shown >= FEWEST_ROWS ? high : low;
}

async function ask(run: TickRun, from: Instant, to: Instant): Promise<Found | 'failed'> {
  const range = { axis: 'updated', from, to } as const;
  // No service refuses to send so few rows.
  const query = { ...boundsOf(range, run.state.stampForm), limit: FEWEST_ROWS };
  try {
    const { rows } = await run.ask('late', query, { tries: TRIES });
    run.update((state) => ({ ...state, stampForm: formOf(rows) ?? state.stampForm }));
    const stamps = rows.flatMap(({ updatedAt }) => updatedAt ?? []).filter((stamp) => stamp <= to);
    return { rows: rows.length, newest: stamps.length === 0 ? undefined : Math.max(...stamps) };
  } catch (error) {
    if (error instanceof DeadlineReached || !(error instanceof ReturnsServiceError)) throw error;
    return 'failed';
  }
}

function fail({ failure }: TickRun): never {
  throw failure ?? new Error('The newest time of the service was not found.');
}
