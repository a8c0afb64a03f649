import { expect, it } from 'vitest';
import { createSourceWorld } from '../shared/source-world.ts';
import { ticks } from './world.ts';

const HOURS = 5;

/** A service that writes created_at in UTC with its zone, and updated_at as its database has it: local time, no zone. */
function mixed(world: ReturnType<typeof createSourceWorld>, hours = HOURS) {
  world.network.intercept = (request) => {
    const query = new URLSearchParams(request.query);
    for (const [name, value] of request.query) {
      if (!/_at$/.test(name)) continue;
      const at = Date.parse(/Z$|[+-]\d\d:\d\d$/.test(value) ? value : `${value}Z`);
      // Bounds are read in the form that the stamps have.
      const shifted = /updated/.test(name) && !/Z$/.test(value) ? at + hours * 3_600_000 : at;
      query.set(name, new Date(shifted).toISOString());
    }
    const answer = world.reference.service.answer({ ...request, query });
    if (answer.status !== 200) return answer;
    const rows = JSON.parse(answer.body);
    for (const row of rows) row.updated_at = new Date(Date.parse(row.updated_at) - hours * 3_600_000).toISOString().slice(0, -1);
    return { ...answer, body: JSON.stringify(rows) };
  };
}

it.each([5, -2, 10])('polls find what changed where only one of two stamps names its zone (%i h behind)', async (hours) => {
  const world = createSourceWorld({ settings: { reconcileMs: 24 * 3_600_000 } });
  mixed(world, hours);
  const session = world.startProcess('a');
  await world.tick(session);
  await ticks(world, session, 3);
  // A busy store: a few groups a minute.
  const busy = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let count = 0; count < 5; count += 1) world.control.create();
      await ticks(world, session, 1);
    }
  };
  await busy(20);
  const group = world.someGroup();
  world.control.mutate(group, (draft) => { for (const s of draft.shipments) s.status = 'LOST'; });
  const reports = [];
  for (let i = 0; i < 12; i += 1) { await busy(1); reports.push(await world.nextTick(session)); }
  const events = await world.groupEvents(group);
  const state = await world.state();
  console.log(hours, state.stamps, reports.at(-1)?.polls, state.health.reasons, state.health.degradedSince);
  expect(events.map(({ type }) => type)).toContain('shipment.status_changed');
});
