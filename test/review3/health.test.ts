import { expect, it } from 'vitest';
import { jsonAnswer } from '../../local/reference-service/service/answer.ts';
import { createSourceWorld } from '../shared/source-world.ts';
import { ticks } from './world.ts';

it('polls that fail after the walk had failed are told', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  world.network.intercept = ({ query }) => query.has('min_created_at') || query.has('max_created_at') ? jsonAnswer(504, {}) : undefined;
  await ticks(world, session, 20);
  const before = (await world.feedEvents()).length;
  world.network.intercept = () => jsonAnswer(504, {});
  await ticks(world, session, 60);
  const told: any[] = (await world.feedEvents());
  console.log(JSON.stringify(told.map((e) => [e.type, e.data.object.reasons]), null, 1));
  console.log((await world.state()).health.reasons);
  expect(told.length).toBeGreaterThan(before);
});

it('groups that become unreadable after another one did are told', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
  const session = world.startProcess('a');
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  let bad = new Set([ids[0]]);
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200) return answer;
    const rows = JSON.parse(answer.body);
    for (const row of rows) if (bad.has(row.id)) row.updated_at = null;
    return { ...answer, body: JSON.stringify(rows) };
  };
  await world.tick(session);
  await ticks(world, session, 10);
  const before = (await world.feedEvents()).length;
  bad = new Set(ids);
  await ticks(world, session, 30);
  const told: any[] = (await world.feedEvents());
  console.log(JSON.stringify(told.map((e) => [e.type, e.data.object.reasons]), null, 1));
  expect(told.length).toBeGreaterThan(before);
});
