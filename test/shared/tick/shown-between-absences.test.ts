// One of a service's backends lacks a shipment, the others show it. Two answers that lack it, `settle` apart, do not make
// it removed if an answer in between shows it.
import { expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';

interface Row {
  readonly id: number;
  shipments: unknown[];
}

const EVERY_MS = 15_000;

it('an entity is not removed if answers show it between two that lack it', async () => {
  const world = createSourceWorld({ groups: 60, settings: { intervalMs: EVERY_MS, reconcileMs: 3_600_000 } });
  const group = world.someGroup();
  const session = world.startProcess('a');
  for (let made = 0; made < 12; made += 1) await world.nextTick(session, 2 * EVERY_MS);
  // Polls then read the group again and again, for the lookback.
  world.change(group);
  for (let made = 0; made < 5; made += 1) await world.nextTick(session, EVERY_MS);
  const before = (await world.groupEvents(group)).length;

  for (const isLacking of [true, false, false, false, false, true, false, false, false, false]) {
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      const rows = JSON.parse(answer.body) as Row[];
      for (const row of rows) if (isLacking && row.id === group) row.shipments = [];
      return { ...answer, body: JSON.stringify(rows) };
    };
    await world.time.advance(15 * SECOND);
    await world.tick(session, { durationMs: 5_000 });
  }

  expect((await world.groupEvents(group)).slice(before)).toEqual([]);
});
