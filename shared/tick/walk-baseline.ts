// The first reading of everything. What it has covered is saved range by range, so that it goes on from there
// whatever ends it; pages are saved while the next one is on its way.
import { estimateSize } from '../reading/estimate-size.ts';
import type { FetchPage } from '../reading/page.ts';
import { walkOn } from '../reading/walk.ts';
import { completeBaseline } from './complete-baseline.ts';
import type { RangeRoom } from './range-room.ts';
import { createSaveAhead } from './save-ahead.ts';
import type { TickRun } from './tick-run.ts';

export async function walkBaseline(run: TickRun, fetch: FetchPage, room: RangeRoom): Promise<void> {
  if (run.state.baseline.status === 'completed') return;
  await estimate(run, fetch);
  while (run.state.baseline.status === 'running') {
    const maxPages = room.pages();
    if (maxPages === undefined) return;
    const recorder = run.recorder('baseline');
    const saving = createSaveAhead(recorder.take);
    const before = run.requestsSent('reconciliation');
    const { coveredThrough, rangeWidth } = run.state.baseline;
    run.unfinished = 'baseline';
    const step = await room.during(() =>
      saving.during(() =>
        walkOn(
          { coveredThrough, rangeWidth },
          {
            fetch,
            take: saving.take,
            maxPages,
            stamps: () => run.stamps,
            now: () => run.session.serviceClock.now().atLeast,
          },
        ),
      ),
    );
    run.unfinished = undefined;
    const { baseline } = run.state;
    run.state = {
      ...run.state,
      baseline: {
        ...baseline,
        ...step.position,
        groups: baseline.groups + recorder.counts.firstSeen,
        requests: baseline.requests + run.requestsSent('reconciliation') - before,
      },
    };
    if (step.isDone) await completeBaseline(run);
    await run.save();
    run.progress();
  }
}

/** Only so that people can be told how long it will take. */
async function estimate(run: TickRun, fetch: FetchPage): Promise<void> {
  if (run.state.baseline.estimatedGroups !== undefined) return;
  const before = run.requestsSent('reconciliation');
  const estimatedGroups = await estimateSize(fetch);
  const { baseline } = run.state;
  const requests = baseline.requests + run.requestsSent('reconciliation') - before;
  run.state = { ...run.state, baseline: { ...baseline, estimatedGroups, requests } };
}
