// A group that two look-ups don't find is published as removed only if nothing showed it between them: neither a row that
// can't be read nor a reading that a guard keeps back.
import { expect, it } from 'vitest';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld } from '../source-world.ts';

interface Row {
  readonly id: number;
  readonly shipments: { status: unknown }[];
}

/** A store whose group with a shipment can be hidden, or be shown in a row that can't be read. */
function aStore() {
  const world = createSourceWorld({ groups: 60, knobs: { touches: [] }, settings: { reconcileMs: 60_000 } });
  const group = world.someGroup();
  let view: 'shown' | 'hidden' | 'unreadable' = 'shown';
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    const all = JSON.parse(String(answer.body)) as Row[];
    const rows = all.filter(({ id }) => view !== 'hidden' || id !== group);
    for (const { id, shipments } of rows)
      if (view === 'unreadable' && id === group) for (const shipment of shipments) shipment.status = null;
    return { ...answer, body: JSON.stringify(rows) };
  };
  const minutes = async (session: SourceSession, count: number) => {
    for (let minute = 0; minute < count; minute += 1) await world.nextTick(session);
  };
  return {
    world,
    group,
    minutes,
    /** Two gaps of a minute, ten minutes apart: `settle` is a minute, so one note of absence is enough for a removal. */
    async gaps(session: SourceSession, between: 'shown' | 'unreadable'): Promise<void> {
      for (const count of [10, 4]) {
        view = 'hidden';
        await minutes(session, 1);
        view = between;
        await minutes(session, count);
      }
    },
    async absences() {
      return (await world.store.load(await world.source(), [group])).get(group)?.absences;
    },
  };
}

it.each(['shown', 'unreadable'] as const)(
  'a group that is %s between two short gaps is not removed',
  async (between) => {
    const { world, group, minutes, ...store } = aStore();
    const session = world.startProcess('a');
    await world.tick(session);
    await minutes(session, 4);

    await store.gaps(session, between);

    expect(await world.groupEvents(group)).toEqual([]);
    expect(await store.absences()).toEqual({});
  },
);

it('a group that is shown with a held change between two short gaps is not removed', async () => {
  const { world, group, minutes, ...store } = aStore();
  const session = world.startProcess('a');
  await world.tick(session);
  await minutes(session, 6);
  for (const { id } of world.control.snapshot())
    world.reference.store.alter(Number(id), (draft) => {
      for (const item of draft.returns) Object.assign(item, { last_rma_number: 'WRONG' });
    });
  await minutes(session, 4);

  await store.gaps(session, 'shown');

  const { holds } = (await world.state()).guarding;
  expect(holds.map(({ guard }) => guard)).toEqual(['changed_without_stamps']);
  expect(await world.groupEvents(group)).toEqual([]);
  expect(await store.absences()).toEqual({});
});
