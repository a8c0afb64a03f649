// G8, G1: a store that is too large for one walk a cycle. The walk over all groups always fails at an old range. The
// defect: during its pauses an idle tick, or a walk over the recent groups, counted as its progress.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { DAY, formatInstant, MILLISECOND, SECOND } from '../../../shared/instant.ts';
import { fitsCycle } from '../../../shared/source/reconciliation-plan.ts';
import { createSourceWorld } from '../source-world.ts';

it('degrades a source if its walk over all groups makes no progress, although others do', async () => {
  const world = createSourceWorld({
    groups: 120,
    knobs: { limitMax: 2 },
    settings: { reconcileMs: 60_000, requestsPerMinute: 60 },
  });
  const session = world.startProcess('a');
  await world.tick(session);
  for (let minute = 0; minute < 30; minute += 1) {
    if ((await world.state()).baseline.status === 'completed') break;
    await world.nextTick(session);
  }
  expect((await world.state()).baseline.status).toBe('completed');
  expect(fitsCycle(await world.state(), world.settings)).toBe(false);
  // Requests for groups that were created long ago fail.
  const recent = formatInstant(world.time.now() - 46 * DAY);
  let failed = 0;
  world.network.intercept = ({ query }) => {
    const [min, max] = [query.get('min_created_at'), query.get('max_created_at')];
    const isOld = (min === null && max !== null) || (min !== null && min < recent);
    if (!isOld) return undefined;
    failed += 1;
    return jsonAnswer(500, {});
  };
  for (let minute = 0; minute < 120; minute += 1) {
    await world.nextTick(session);
  }

  expect(failed).toBeGreaterThan(0);
  expect((await world.feedEvents()).map(({ type }) => type)).toContain('feed.source_degraded');
});

// The defect: pages of five rows looked like the ends of ranges. So each walk began with ranges that were too wide for a
// tick, and three ticks in a row proved only that nothing was created in 1990.
it('a quiet source without faults is never degraded, however short its pages are', async () => {
  const world = createSourceWorld({
    groups: 900,
    knobs: { limitMax: 5 },
    settings: { reconcileMs: 1_800_000, requestsPerMinute: 240 },
  });
  const session = world.startProcess('a');
  await world.tick(session);
  while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);

  for (let tick = 0; tick < 110; tick += 1) await world.nextTick(session);

  const types = (await world.feedEvents()).map(({ type }) => type);
  expect(types).toEqual(['feed.baseline_completed']);
  expect((await world.state()).reconciliation.all.lastRequests).toBeLessThan(400);
});

// The defect (seed 3701024): each range noted when its turn ended. The next Date put the present a little before that
// moment, and the only walk, which never pauses, counted as pausing.
it('degrades a source whose only walk fails, although the clock is corrected by a second in each tick', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 60_000, requestsPerMinute: 60 } });
  await world.tick(world.startProcess('a'));
  world.network.intercept = (request) => {
    if (!request.query.has('max_created_at')) return undefined;
    const date = new Date((world.time.now() - 2 * SECOND) / MILLISECOND).toUTCString();
    return { ...jsonAnswer(400, {}), headers: { date } };
  };
  for (let minute = 0; minute < 7; minute += 1) await world.nextTick(world.startProcess(`${minute}`));

  expect((await world.feedEvents()).map(({ type }) => type)).toContain('feed.source_degraded');
});
