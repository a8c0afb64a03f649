// Review: the service lists an old open return, but its filter by id does not find it (an index that lags or lacks it).
// Where open groups are read by look-ups, the feed never compares that with the lists: it publishes the return as removed,
// then as created when a walk shows it, then as removed again.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { DAY, parseStamp } from '../../../shared/instant.ts';
import { fitsCycle } from '../../../shared/source/reconciliation-plan.ts';
import { createSourceWorld } from '../source-world.ts';

it.each([
  ['small', { reconcileMs: 1_800_000, requestsPerMinute: 240 }],
  ['large', { reconcileMs: 180_000, requestsPerMinute: 60 }],
])('a return that lists show is not published as removed in a %s store', async (_, settings) => {
  const world = createSourceWorld({ groups: 900, knobs: { limitMax: 5, touches: [] }, settings });
  const old = world.control
    .snapshot()
    .filter(({ created_at }) => world.time.now() - (parseStamp(String(created_at))?.instant ?? 0) > 50 * DAY);
  const id = Number(old[100]?.id);
  world.control.mutate(id, (draft) => {
    for (const item of draft.returns) item.status = 'OPEN';
  });
  world.network.intercept = ({ query }) =>
    query.get('return_group_id') === String(id) ? jsonAnswer(200, []) : undefined;
  const session = world.startProcess('a');
  await world.tick(session);
  while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);
  const fits = fitsCycle(await world.state(), world.settings);
  for (let tick = 0; tick < 400; tick += 1) await world.nextTick(session);

  const types = (await world.groupEvents(id)).map(({ type }) => type);
  console.log(_, { fits, removed: types.filter((type) => type === 'return_group.removed').length, created: types.filter((type) => type === 'return_group.created').length, feed: (await world.feedEvents()).map(({ type }) => type) });
  expect(types.filter((type) => type.startsWith('return_group'))).toEqual([]);
}, 200_000);
