// G1: a look-up that always fails must not prevent the removal of the groups after it from being published.
import { expect, it } from 'vitest';
import { type Answer, jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { createSourceWorld } from '../source-world.ts';

it('publishes removals although the look-up of another missing group fails', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000, settleMs: 1_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  const ids = world.oldestFirst();
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

const NO_ANSWER: Answer = { status: 200, headers: {}, body: '', delivery: 'hang', afterMs: 0 };

// Before, each tick ended with these look-ups, before the walk's position was saved.
it.each([
  ['are refused', jsonAnswer(400, {})],
  ['fail', jsonAnswer(500, {})],
  ['get no answer', NO_ANSWER],
])('ends the walk although look-ups of all groups that exist %s', async (_, answer) => {
  const world = createSourceWorld({
    groups: 60,
    settings: { reconcileMs: 300_000 },
    knobs: { limitMax: 20 },
  });
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1)
      await world.nextTick(world.startProcess(`p${world.time.elapsed()}`));
  };
  await ticks(15);
  const gone = world.oldestFirst()[3] as number;
  world.control.remove(gone);
  world.network.intercept = ({ query }) =>
    query.has('return_group_id') && query.get('return_group_id') !== String(gone) ? answer : undefined;
  await ticks(30);
  const before = world.time.now();

  await ticks(30);

  const { setAside, reconciliation } = await world.state();
  expect(reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
  expect(setAside).toMatchObject([
    { groupId: gone, reason: expect.stringContaining('which would confirm that') },
  ]);

  world.network.intercept = undefined;
  await ticks(30);

  expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
});
