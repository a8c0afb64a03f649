// G8, G1: a store that is too large for one walk a cycle. The walk over all groups fails for good at an old range;
// each time it pauses there is "nothing to do", or the recent are walked, which counts as its progress.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { DAY, formatInstant } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';

it('tells that the walk over all groups does not get on, though the recent are walked', async () => {
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
  // Whatever is asked of what was created long ago fails.
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
