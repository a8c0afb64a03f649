// A service that writes created_at in UTC with its zone, and updated_at as its database does: local time, no zone.
import { expect, it } from 'vitest';
import { HOUR, MILLISECOND } from '../../../shared/instant.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const NAMES_ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

function mixZones({ network, reference }: SourceWorld, hoursBehind: number): void {
  const shift = (stamp: string, hours: number) =>
    new Date(
      Date.parse(NAMES_ZONE.test(stamp) ? stamp : `${stamp}Z`) + (hours * HOUR) / MILLISECOND,
    ).toISOString();
  network.intercept = (request) => {
    const query = new URLSearchParams(request.query);
    for (const [name, value] of request.query) {
      if (!name.endsWith('_at')) continue;
      // A bound without a zone is local time, like the stamps it is compared with.
      const isLocal = name.includes('updated') && !NAMES_ZONE.test(value);
      query.set(name, shift(value, isLocal ? hoursBehind : 0));
    }
    const answer = reference.service.answer({ ...request, query });
    if (answer.status !== 200) return answer;
    const rows = JSON.parse(answer.body) as { updated_at: string }[];
    for (const row of rows) row.updated_at = shift(row.updated_at, -hoursBehind).slice(0, -1);
    return { ...answer, body: JSON.stringify(rows) };
  };
}

/** Creates a few groups a minute. */
async function busyMinutes(world: SourceWorld, session: SourceSession, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let count = 0; count < 5; count += 1) world.control.create();
    await world.nextTick(session);
  }
}

it.each([5, 10, -2])(
  'polls find changes if only one stamp names its zone and the other is %i hours behind',
  async (hoursBehind) => {
    const world = createSourceWorld({ settings: { reconcileMs: (24 * HOUR) / MILLISECOND } });
    mixZones(world, hoursBehind);
    const session = world.startProcess('a');
    await world.tick(session);
    await busyMinutes(world, session, 12);

    const group = world.someGroup();
    world.setShipment(group, 'LOST');
    await busyMinutes(world, session, 4);

    const types = (await world.groupEvents(group)).map(({ type }) => type);
    expect(types).toContain('shipment.status_changed');
  },
);
