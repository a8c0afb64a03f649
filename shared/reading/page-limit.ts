// How many rows are asked for. A service refuses more than it sends in any way: by a status, or by no answer in time. So
// a limit is refused if requests for an empty range fail with it, three in a row, while others succeed: no row makes
// these fail, and no outage.
import type { TickRun } from '../lanes/tick-run.ts';
import { PAGE_LIMIT } from '../limits.ts';
import { ReturnsServiceError } from '../returns-service/errors.ts';
import type { LaneName } from '../source/source-state.ts';
import { emptyRange } from './range.ts';
import { FEWEST_ROWS, forgetRoom } from './room.ts';

/** Requests for an empty range that must succeed in a row before a failure is blamed on what was asked for. */
const PROOFS = 2;
const REFUSALS = 3;
/** The limits that a new source tries: it has read nothing yet, and may not be able to without. */
const FIRST_LIMIT = 50;

/** Whether the service answers other requests, in the time that the failed one had. */
export async function isServing(run: TickRun, lane: LaneName, isSlow = false): Promise<boolean> {
  for (let proofs = 0; proofs < PROOFS; proofs += 1) if (!(await answers(run, lane, 1, isSlow))) return false;
  return true;
}

/** Lowers a limit that is refused by a service that is serving. @returns whether it is lower now */
export async function lowerRefusedLimit(run: TickRun, lane: LaneName, isSlow = false): Promise<boolean> {
  const { limit } = run.state;
  if (limit <= FEWEST_ROWS) return false;
  for (let refusals = 0; refusals < REFUSALS && run.state.limit === limit; refusals += 1)
    if (await answers(run, lane, limit, isSlow)) return false;
  // Another lane may have lowered it meanwhile.
  if (run.state.limit === limit) setLimit(run, lowerThan(limit, run.state.position.origin === undefined));
  return true;
}

function lowerThan(limit: number, isNew: boolean): number {
  if (isNew) return limit > FIRST_LIMIT ? FIRST_LIMIT : FEWEST_ROWS;
  return Math.max(FEWEST_ROWS, Math.floor(limit / 2));
}

/** Tries larger limits again, as long as they are accepted. */
export async function raiseLimit(run: TickRun, lane: LaneName): Promise<void> {
  const { failure } = run;
  for (let limit = 0; limit < run.state.limit && run.state.limit < PAGE_LIMIT; ) {
    limit = run.state.limit;
    const more = Math.min(PAGE_LIMIT, 2 * limit);
    if (await answers(run, lane, more)) setLimit(run, more);
  }
  // A limit that is still refused is no failure.
  run.failure = failure;
}

function setLimit(run: TickRun, limit: number): void {
  run.update((state) => ({ ...state, limit, room: forgetRoom(state.room) }));
}

async function answers(run: TickRun, lane: LaneName, limit: number, isSlow = false): Promise<boolean> {
  const query = { ...emptyRange(run.now(), run.state.stampForm), limit };
  try {
    await run.ask(lane, query, { tries: 1, isSlow });
    return true;
  } catch (error) {
    if (!(error instanceof ReturnsServiceError)) throw error;
    return false;
  }
}
