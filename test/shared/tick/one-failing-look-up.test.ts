// G1: a look-up that always fails must not prevent the removal of the groups after it from being published.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { createSourceWorld } from '../source-world.ts';

it('publishes removals although the look-up of another missing group fails', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000, settleMs: 1_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  const groups = world.control
    .snapshot()
    .toSorted((a, b) => String(a.created_at).localeCompare(String(b.created_at)));
  const ids = groups.map(({ id }) => Number(id));
  const [broken, gone] = [ids[0] ?? 0, ids[5] ?? 0];
  for (const id of [broken, gone]) world.control.remove(id);
  world.network.intercept = ({ query }) =>
    query.get('return_group_id') === String(broken) ? jsonAnswer(500, {}) : undefined;
  for (let minute = 0; minute < 40; minute += 1) await world.nextTick(session);
  expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
});

// Seed 619903: look-ups of the group that had to confirm each removal were never answered.
it('publishes removals although the look-up of the group that confirms them fails', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000, settleMs: 1_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  const gone = Number(world.control.snapshot()[5]?.id);
  world.control.remove(gone);
  let broken: string | undefined;
  world.network.intercept = ({ query }) => {
    const id = query.get('return_group_id');
    if (id === null || id === String(gone)) return undefined;
    broken ??= id;
    return id === broken ? jsonAnswer(500, {}) : undefined;
  };

  for (let minute = 0; minute < 10; minute += 1) await world.nextTick(session);

  expect(broken).toBeDefined();
  expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
});
