// The first reading of everything. Its position is saved after each range, so that it continues there after any
// interruption. A page is saved while the next one is requested.
import type { Instant } from '../instant.ts';
import { inDigits } from '../reading/bounds.ts';
import { estimateSize } from '../reading/estimate-size.ts';
import { type FetchPage, type Page, PageOutOfReach } from '../reading/page.ts';
import { walkOn } from '../reading/walk.ts';
import type { WalkStep } from '../reading/walk-step.ts';
import { noteWalked } from '../reporting/source-read.ts';
import { ReturnsServiceError } from '../returns-service/errors.ts';
import { completeBaseline } from './complete-baseline.ts';
import { createdWithin } from './created-within.ts';
import type { RangeRoom } from './range-room.ts';
import { isOpenEnded } from './reconciliation-cycle.ts';
import { createSaveAhead } from './save-ahead.ts';
import type { TickRun } from './tick-run.ts';

export async function walkBaseline(run: TickRun, fetch: FetchPage, room: RangeRoom): Promise<void> {
  if (run.state.baseline.status === 'completed') return;
  await estimate(run, fetch);
  while (run.state.baseline.status === 'running') {
    const maxPages = room.pages();
    if (maxPages === undefined) return;
    const step = await room.during(() => walkRange(run, fetch, maxPages, room.hasTime));
    if (step.isDone) completeBaseline(run, isOpenEnded(step.covered));
    await run.save();
    run.progress(run.state.baseline);
  }
}

async function walkRange(
  run: TickRun,
  fetch: FetchPage,
  maxPages: number,
  hasRoom: () => boolean,
): Promise<WalkStep> {
  const recorder = run.recorder('baseline');
  const saving = createSaveAhead(recorder.take);
  const before = run.requestsSent('reconciliation');
  const { coveredThrough, rangeWidth, groups } = run.state.baseline;
  const read = new Map<number, Instant>();
  const counted = () => {
    const { baseline } = run.state;
    return { ...baseline, requests: baseline.requests + run.requestsSent('reconciliation') - before };
  };
  const options = {
    fetch,
    take: async (page: Page) => {
      for (const row of page.rows) if (row.kind === 'readable') read.set(row.group.id, row.createdAt);
      run.update((state) => noteWalked(state, page.sentAt));
      await saving.take(page);
      run.progress({ ...counted(), groups: groups + read.size });
    },
    maxPages,
    hasRoom,
    depth: run.depth,
    stamps: () => run.stamps,
    now: () => run.session.serviceClock.now().atLeast,
  };
  try {
    const position = { coveredThrough, rangeWidth };
    const step = await run.within('baseline', () => saving.during(() => walkOn(position, options)));
    run.unstableBaseline = step.unstable;
    if (step.hasNoOrder) run.session.list.isUnordered = true;
    // No range comes after the last one: it counts the newest groups as well, whether or not they were proved.
    const counts = step.isDone ? { from: coveredThrough, to: undefined } : step.covered;
    // Where stamps have whole seconds, a group of the border's second belongs to the range after it, as it is requested.
    const within = createdWithin(counts && inDigits(counts, run.stamps), read);
    // Empty ranges are no progress: a walk can cover them for long before one that fails.
    if (within > 0 || (step.covered !== undefined && step.isDone)) run.walked.add('baseline');
    const baseline = { ...counted(), ...step.position, groups: groups + within };
    run.update((state) => ({ ...state, baseline }));
    return step;
  } catch (error) {
    run.update((state) => ({ ...state, baseline: counted() }));
    throw error;
  }
}

/** Estimates the store's size, to show how long the walk will take; if that fails, the walk continues without it. */
async function estimate(run: TickRun, fetch: FetchPage): Promise<void> {
  if (run.state.baseline.estimatedGroups !== undefined) return;
  const before = run.requestsSent('reconciliation');
  const estimatedGroups = await estimateSize(fetch).catch((error: unknown) => {
    if (error instanceof ReturnsServiceError || error instanceof PageOutOfReach) return NOT_COUNTED;
    throw error;
  });
  const { baseline } = run.state;
  const requests = baseline.requests + run.requestsSent('reconciliation') - before;
  run.update((state) => ({ ...state, baseline: { ...baseline, estimatedGroups, requests } }));
}

/** Stands for "no estimate": an estimate this low is never shown. */
const NOT_COUNTED = 0;
