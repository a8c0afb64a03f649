// G1: a service that refuses limit + offset beyond a window, and names `limit` in the error, reduces the page size to 1
// for good. The defect: a poll treated its first page of one row as the end of the list, and settled rows that it had
// never read.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { createSourceWorld } from '../source-world.ts';

it('a poll publishes changes although the page size has fallen to one row', async () => {
  const world = createSourceWorld({ groups: 260, knobs: { limitMax: 100, order: 'updated_at:asc' } });
  const session = world.startProcess('a');
  await world.tick(session);
  const problem = { loc: ['query', 'limit'], msg: 'limit + offset is beyond 200', type: 'value_error' };
  world.network.intercept = ({ query }) => {
    const behind = Number(query.get('offset') ?? 0) + Number(query.get('limit') ?? 0);
    return behind <= 200 || query.has('return_group_id') ? undefined : jsonAnswer(422, { detail: [problem] });
  };
  for (let minute = 0; minute < 30 && (await world.state()).pageLimit >= 10; minute += 1) {
    await world.nextTick(session);
  }
  const ids = world.control
    .snapshot()
    .filter(({ shipments }) => shipments.length > 0)
    .map(({ id }) => Number(id))
    .slice(0, 6);
  for (const id of ids) world.setShipment(id, 'FAILED');
  for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);

  const events = (await Promise.all(ids.map(world.groupEvents))).flat();
  const through = events.flatMap(({ data }) => ('observed' in data ? [data.observed.through] : []));
  const { pageLimit, health } = await world.state();
  expect({ through, pageLimit, degraded: health.degradedSince }).toEqual({
    through: ids.map(() => 'poll'),
    pageLimit: expect.any(Number),
    degraded: undefined,
  });
});
