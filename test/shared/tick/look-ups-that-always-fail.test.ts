// G8: if look-ups fail for good, a tick does not look up some missing groups. They stay set aside: a walk that left a
// group out has not found it.
import { expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { MINUTE } from '../../../shared/instant.ts';
import type { SourceServices } from '../../../shared/source/source-session.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const MINUTE_MS = 60_000;

async function ticksOfNewProcesses(world: SourceWorld, count: number, others: Partial<SourceServices> = {}) {
  for (let made = 0; made < count; made += 1)
    await world.nextTick(world.startProcess(`p${world.time.elapsed()}`, others));
}

it('keeps groups set aside, with their first moment, while no look-up is answered', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 15_000, settleMs: 1_000 } });
  const session = world.startProcess('a', { random: createSeededRandom(1).next });
  await world.tick(session);
  for (const group of world.control.snapshot().slice(3, 8)) world.control.remove(Number(group.id));
  world.network.intercept = ({ query }) => (query.has('return_group_id') ? jsonAnswer(500, {}) : undefined);
  const known = new Map<number | undefined, bigint | number>();
  for (let minute = 0; minute < 60; minute += 1) {
    await world.nextTick(session);
    const { setAside, health } = await world.state();
    const since = new Map(setAside.map((note) => [note.groupId, note.since]));
    for (const [groupId, from] of known)
      expect(since.get(groupId), `${groupId}, minute ${minute}`).toBe(from);
    for (const [groupId, from] of since) known.set(groupId, from);
    if (known.size > 0) expect(health.degradedSince, `minute ${minute}`).toBeDefined();
  }
  expect(known.size).toBe(5);
});

// Before, each tick waited for the same look-up until its end, and nothing reported that.
it('sets a group aside if the end of a tick cuts its look-up off twice, and the walk goes on', async () => {
  const world = createSourceWorld({
    groups: 1_000,
    settings: { reconcileMs: 45 * 60_000 },
    knobs: { limitMax: 20, touches: [] },
  });
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1) {
      await world.time.advance(MINUTE - (world.time.now() % MINUTE));
      await world.tick(world.startProcess(`p${world.time.elapsed()}`), { durationMs: 45_000 });
    }
  };
  await ticks(60);
  const oldestFirst = world.oldestFirst();
  const [gone, changed] = [oldestFirst[10] as number, oldestFirst[900] as number];
  world.control.remove(gone);
  world.hang((query) => query.has('return_group_id'));
  world.change(changed);

  await ticks(120);

  expect((await world.groupEvents(changed)).map(({ type }) => type)).toEqual(['return_group.updated']);
  const { setAside, health } = await world.state();
  expect(setAside.map(({ groupId }) => groupId)).toEqual([gone]);
  expect(health.degradedSince).toBeDefined();
});

// Seed 439: each tick ended before the walk's position was saved, and the next one looked the same groups up again.
it('ends the walk although the look-ups of two groups take a whole tick each', async () => {
  const world = createSourceWorld({ groups: 60, settings: { reconcileMs: 20 * MINUTE_MS } });
  const ticks = (count: number) => ticksOfNewProcesses(world, count, { random: () => 0 });
  await ticks(45);
  for (const group of world.control.snapshot().slice(3, 5)) world.control.remove(Number(group.id));
  world.hang((query) => query.has('return_group_id'));
  const before = world.time.now();

  await ticks(60);

  const { setAside, reconciliation } = await world.state();
  expect(setAside).toHaveLength(2);
  expect(reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
});

// Before, the retries of the third look-up were cut off in each tick.
it('ends the walk although look-ups fail only after seconds', async () => {
  const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 10 * MINUTE_MS } });
  const ticks = (count: number) => ticksOfNewProcesses(world, count);
  await ticks(20);
  for (const group of world.control.snapshot().slice(3, 6)) world.control.remove(Number(group.id));
  world.network.intercept = ({ query }) =>
    query.has('return_group_id') ? { ...jsonAnswer(500, {}), afterMs: 4_000 } : undefined;
  const before = world.time.now();

  await ticks(60);

  expect((await world.state()).reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
});

// Before, each of them was one to see whether look-ups are answered again, ten minutes after any that was not.
it('ends the walk although many look-ups fail, long after one got no answer', async () => {
  const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 20 * MINUTE_MS } });
  const ticks = (count: number) => ticksOfNewProcesses(world, count);
  await ticks(45);
  const groups = world.control.snapshot().map(({ id }) => Number(id));
  world.hang((query) => query.has('return_group_id'));
  world.control.remove(groups[3] as number);
  while ((await world.state()).setAside.length === 0) await ticks(1);
  world.network.intercept = undefined;
  await ticks(120);
  for (const id of groups.slice(10, 28)) world.control.remove(id);
  world.network.intercept = ({ query }) =>
    query.has('return_group_id') ? { ...jsonAnswer(400, {}), afterMs: 3_000 } : undefined;
  const before = world.time.now();

  await ticks(60);

  expect((await world.state()).reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
});

// Before, two that failed only after seconds counted twice, and the third was not looked up.
it('looks up another group although two look-ups fail in each walk', async () => {
  const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 10 * MINUTE_MS } });
  const session = world.startProcess('a', { random: () => 0 });
  for (let minute = 0; minute < 20; minute += 1) await world.nextTick(session);
  const [first, second, gone] = world.control
    .snapshot()
    .slice(3, 6)
    .map(({ id }) => Number(id));
  for (const id of [first, second, gone]) world.control.remove(id as number);
  world.network.intercept = ({ query }) =>
    [first, second].includes(Number(query.get('return_group_id')))
      ? { ...jsonAnswer(500, {}), afterMs: 3_000 }
      : undefined;

  for (let minute = 0; minute < 60; minute += 1) await world.nextTick(session);

  expect((await world.groupEvents(gone as number)).map(({ type }) => type)).toContain('return_group.removed');
});

it('sets aside every group that lists by creation lack, also those for which it makes no look-up any more', async () => {
  const world = createSourceWorld({
    groups: 60,
    knobs: { touches: [] },
    settings: { reconcileMs: 20 * 60_000 },
  });
  const session = world.startProcess('a');
  await world.tick(session);
  for (let minute = 0; minute < 25; minute += 1) await world.nextTick(session);
  const groups = world.control.snapshot().flatMap(({ id, shipments }) => (shipments.length > 0 ? [id] : []));
  const hidden = groups.slice(0, 10).map(Number);
  world.network.intercept = (request) => {
    if (request.query.has('return_group_id')) return jsonAnswer(400, {});
    const answer = world.reference.service.answer(request);
    if (request.query.has('min_updated_at')) return answer;
    const rows = JSON.parse(String(answer.body)) as { id: number }[];
    return { ...answer, body: JSON.stringify(rows.filter(({ id }) => !hidden.includes(id))) };
  };

  for (let minute = 0; minute < 25; minute += 1) await world.nextTick(session);

  const { setAside } = await world.state();
  const reasons = new Map(setAside.map(({ groupId, reason }) => [groupId, reason]));
  expect([...reasons.keys()].sort()).toEqual(hidden.sort());
  const notLookedUp = [...reasons.values()].filter((reason) => reason.startsWith('it was not looked up'));
  expect(notLookedUp).toHaveLength(7);
});

// Before, four of these in each walk were taken for the failure of all look-ups.
it('looks up a group of a later range although the look-ups of four others fail after seconds', async () => {
  const world = createSourceWorld({
    groups: 3_000,
    settings: { reconcileMs: 10 * MINUTE_MS },
    knobs: { limitMax: 20, touches: [] },
  });
  const session = world.startProcess('a', { random: createSeededRandom(7).next });
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1) await world.nextTick(session);
  };
  await ticks(25);
  const oldestFirst = world.oldestFirst();
  const broken = [3, 4, 1_200, 1_201].map((place) => oldestFirst[place] as number);
  const gone = oldestFirst[2_700] as number;
  for (const id of [...broken, gone]) world.control.remove(id);
  world.network.intercept = ({ query }) =>
    broken.includes(Number(query.get('return_group_id')))
      ? { ...jsonAnswer(500, {}), afterMs: 3_000 }
      : undefined;

  await ticks(60);

  expect((await world.groupEvents(gone)).map(({ type }) => type)).toContain('return_group.removed');
});
